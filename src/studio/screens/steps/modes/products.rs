//! The products of a step: those that it shows, below them what a search of the store finds. Enter adds, `x` removes, a
//! variant and a second can be set.

use std::collections::BTreeSet;

use super::super::listing::{ListedVariant, Listing};
use super::super::vocabulary::{Effect, Turn};
use super::super::{Answer, Editor, Mode};
use super::form::Field;
use crate::domain::{Num, ProductId, StepProduct, StoreUrl, VariantId, text};
use crate::draft::{Edit, StepRef};
use crate::settings::Key;
use crate::studio::ground::{Command, Failure, Moment, NoticeKind, RequestId};
use crate::studio::screens::pane::Hint;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, LineEdit, Picker, Prompt, Question, RowCursor};

/// How long more typing is waited for, milliseconds.
const PAUSE: u64 = 120;

/// What the last line shows while words are typed.
const TYPING: &[Hint] = &[Hint::of(Command::Open).saying("to the list"), CLOSE];
/// The same on a product that was found.
const FOUND: &[Hint] = &[Hint::of(Command::Open).saying("add"), Hint::of(Command::Mark), SEARCH, CLOSE];
/// The same on a product that was found, to be shown in place of another.
const SWAP: &[Hint] = &[Hint::of(Command::Open).saying("show this one"), SEARCH, CLOSE];
/// The same on a product that the step shows.
const SHOWN: &[Hint] = &[
    Hint::of(Command::StepProductVariant),
    Hint::of(Command::StepProductFrom),
    Hint::of(Command::Remove),
    SEARCH,
    CLOSE,
];
const SEARCH: Hint = Hint::of(Command::Search);
const CLOSE: Hint = Hint::of(Command::Back).saying("close");

/// The products of a step being chosen.
#[derive(Debug, Clone)]
pub struct Choosing {
    /// The step.
    pub step: StepRef,
    /// The words that are searched for.
    pub words: LineEdit,
    /// Whether keys are words.
    pub typing: bool,
    /// The row: first those that the step shows, then those that were found.
    pub place: RowCursor,
    /// What was found.
    pub found: Vec<Listing>,
    /// Which of them are selected.
    pub selected: BTreeSet<ProductId>,
    /// The product of the step that another one is chosen for.
    pub replaces: Option<StepProduct>,
    /// The store that is searched; none where none is worked in.
    pub store: Option<StoreUrl>,
    /// The search that is waited for.
    pub request: Option<RequestId>,
    /// Why the search failed.
    pub problem: Option<String>,
    /// Whether the form was open before.
    from_form: bool,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// A product of the step, by its place.
    Shown(usize),
    /// One that was found, by its place.
    Found(usize),
}

impl Editor {
    /// Opens the products of the selected step.
    pub(in super::super) fn begin_products(&mut self, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let Some(step) = self.cursor.map(|cursor| cursor.step) else { return };
        let choosing = Choosing {
            step,
            words: LineEdit::default(),
            typing: self.products_of(step).is_empty(),
            place: RowCursor::default(),
            found: Vec::new(),
            selected: BTreeSet::new(),
            replaces: None,
            store: turn.context.store.clone(),
            request: None,
            problem: None,
            from_form: matches!(self.mode, Mode::Form(_)),
        };
        self.mode = Mode::Products(Box::new(choosing));
        self.keep_in_sight();
        self.search_products(0, turn);
    }

    /// Opens them to show another product in place of one, by its place.
    pub(in super::super) fn begin_swap(&mut self, at: usize, turn: &mut Turn) {
        self.begin_products(turn);
        let Mode::Products(choosing) = &self.mode else { return };
        let shown = self.products_of(choosing.step);
        let replaces = shown.get(at).cloned();
        if let Some(choosing) = self.choosing_products() {
            choosing.replaces = replaces;
        }
        self.place_behind_shown();
    }

    pub(super) fn products_hints(&self, choosing: &Choosing) -> &'static [Hint] {
        match self.product_row(choosing) {
            _ if choosing.typing => TYPING,
            Some(Row::Shown(_)) => SHOWN,
            _ if choosing.replaces.is_some() => SWAP,
            _ => FOUND,
        }
    }

    pub(super) fn choosing_products(&mut self) -> Option<&mut Choosing> {
        if let Mode::Products(choosing) = &mut self.mode { Some(choosing) } else { None }
    }

    /// How many rows there are.
    pub(super) fn product_rows(&self, choosing: &Choosing) -> usize {
        self.products_of(choosing.step).len() + choosing.found.len()
    }

    pub(super) fn row_of(&self, choosing: &Choosing, row: usize) -> Option<Row> {
        let shown = self.products_of(choosing.step).len();
        match row.checked_sub(shown) {
            None => Some(Row::Shown(row)),
            Some(found) => (found < choosing.found.len()).then_some(Row::Found(found)),
        }
    }

    fn product_row(&self, choosing: &Choosing) -> Option<Row> {
        self.row_of(choosing, choosing.place.selected)
    }

    fn search_products(&mut self, after_ms: u64, turn: &mut Turn) {
        let request = turn.next_id();
        let Mode::Products(choosing) = &mut self.mode else { return };
        let Some(store) = choosing.store.clone() else {
            choosing.problem = Some("No store is chosen. @ or --app-url chooses one.".to_owned());
            return;
        };
        turn.cancel(choosing.request.replace(request));
        let words = choosing.words.text().to_owned();
        turn.ask(Effect::FindProducts { request, store, words, after_ms });
    }

    /// Takes what a search found.
    pub(in super::super) fn take_found(&mut self, request: RequestId, found: Result<Vec<Listing>, Failure>) {
        let Mode::Products(choosing) = &mut self.mode else { return };
        if choosing.request != Some(request) {
            return;
        }
        choosing.request = None;
        let mut is_swap = false;
        match found {
            Ok(found) => {
                if let Some(store) = &choosing.store {
                    self.shared.catalog.note(store, &found);
                }
                choosing.found = found;
                choosing.problem = None;
                is_swap = choosing.replaces.is_some();
            }
            Err(failure) => choosing.problem = Some(text::line(&failure.what).into_owned()),
        }
        self.look_at_news();
        self.check();
        if is_swap {
            self.place_behind_shown();
        }
        self.place_product_row();
    }

    /// What was found is what is chosen from, where one is to take the place of another.
    fn place_behind_shown(&mut self) {
        let Mode::Products(choosing) = &self.mode else { return };
        let behind = self.products_of(choosing.step).len();
        if let Some(choosing) = self.choosing_products() {
            choosing.place.selected = choosing.place.selected.max(behind);
        }
    }

    fn products_page(&self) -> usize {
        let side = self.side().map_or(0, |side| usize::from(side.height));
        side.saturating_sub(4).max(1)
    }

    fn place_product_row(&mut self) {
        let page = self.products_page();
        let Mode::Products(choosing) = &self.mode else { return };
        let all = self.product_rows(choosing);
        if let Some(choosing) = self.choosing_products() {
            choosing.place.keep_in_sight(page, all);
        }
    }

    /// Turns the wheel over the list.
    pub(super) fn products_wheel(&mut self, by: isize) {
        let page = self.products_page();
        let Mode::Products(choosing) = &self.mode else { return };
        let all = self.product_rows(choosing);
        if let Some(choosing) = self.choosing_products() {
            choosing.place.wheel(by, page, all);
        }
    }

    /// Takes a command while products are chosen; whether it was for it.
    pub(super) fn products_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.products_page();
        let Mode::Products(choosing) = &self.mode else { return false };
        let (typing, all, row) = (choosing.typing, self.product_rows(choosing), self.product_row(choosing));
        let is_first = choosing.place.selected == 0;
        let Some(choosing) = self.choosing_products() else { return false };
        match command {
            Command::Back => self.end_products(turn),
            Command::NextPane | Command::PreviousPane => choosing.typing = !typing,
            Command::Open | Command::Down if typing => choosing.typing = all == 0,
            Command::Up if !typing && is_first => choosing.typing = true,
            Command::Open if choosing.replaces.is_some() => self.swap_product(row, now, turn),
            Command::Open => self.add_products(row, now, turn),
            Command::Search => choosing.typing = true,
            _ if typing => return false,
            Command::Mark if choosing.replaces.is_some() => self.swap_product(row, now, turn),
            Command::Mark => self.select_product(row, turn),
            Command::Remove => self.remove_product(row, now, turn),
            Command::StepProductVariant => self.ask_variant(row, turn),
            Command::StepProductFrom => self.ask_from(row, turn),
            _ => return choosing.place.command(command, page, all),
        }
        true
    }

    /// Takes a key while products are chosen: one of the words that are searched for.
    pub(super) fn products_key(&mut self, key: Key, turn: &mut Turn) {
        let Some(choosing) = self.choosing_products().filter(|choosing| choosing.typing) else { return };
        if choosing.words.key(key) {
            self.search_products(PAUSE, turn);
        }
    }

    /// Takes pasted text while products are chosen.
    pub(in super::super) fn products_paste(&mut self, pasted: &str, turn: &mut Turn) {
        let Some(choosing) = self.choosing_products() else { return };
        choosing.typing = true;
        if choosing.words.paste(pasted) {
            self.search_products(PAUSE, turn);
        }
    }

    fn end_products(&mut self, turn: &mut Turn) {
        let Some(choosing) = self.choosing_products() else { return };
        let (step, from_form, request) = (choosing.step, choosing.from_form, choosing.request.take());
        turn.cancel(request);
        self.mode = Mode::Normal;
        if from_form {
            self.form_on(step, Field::Products);
        }
        self.keep_in_sight();
    }

    fn select_product(&mut self, row: Option<Row>, turn: &mut Turn) {
        let page = self.products_page();
        let Some(Row::Found(at)) = row else {
            turn.say(NoticeKind::Hint, "The step shows it already. ‹app.remove› removes it.");
            return;
        };
        self.toggle_product(at);
        let Mode::Products(choosing) = &self.mode else { return };
        let all = self.product_rows(choosing);
        if let Some(choosing) = self.choosing_products() {
            choosing.place.step(1, page, all);
        }
    }

    /// Selects one that was found, or deselects it, by its place.
    pub(super) fn toggle_product(&mut self, at: usize) {
        let Some(choosing) = self.choosing_products() else { return };
        if let Some(id) = choosing.found.get(at).map(|listing| listing.id.clone())
            && !choosing.selected.remove(&id)
        {
            choosing.selected.insert(id);
        }
    }

    /// Adds the selected products, or the one of the row.
    fn add_products(&mut self, row: Option<Row>, now: Moment, turn: &mut Turn) {
        let Some(choosing) = self.choosing_products() else { return };
        let (step, store) = (choosing.step, choosing.store.clone().unwrap_or_default());
        let mut ids: Vec<ProductId> = std::mem::take(&mut choosing.selected).into_iter().collect();
        if ids.is_empty()
            && let Some(Row::Found(at)) = row
        {
            ids.extend(choosing.found.get(at).map(|listing| listing.id.clone()));
        }
        if ids.is_empty() {
            if row.is_none() {
                return self.say_none(turn);
            }
            turn.say(
                NoticeKind::Hint,
                "The step shows it already: ‹step_products.variant› sets its variant, ‹step_products.from› when it \
                       shows, ‹app.remove› removes it.",
            );
            return;
        }
        let product = |id| StepProduct { store: store.clone(), product_id: id, ..StepProduct::default() };
        let products: Vec<StepProduct> = ids.into_iter().map(product).collect();
        let (count, title) = (products.len(), self.product_titles(&products));
        if !self.edit(Edit::AddProducts { step, products, title: title.clone() }, now, turn) {
            return;
        }
        // The row stays on what was found.
        let page = self.products_page();
        let Mode::Products(choosing) = &self.mode else { return };
        let all = self.product_rows(choosing);
        if let Some(choosing) = self.choosing_products() {
            choosing.place.step(count.cast_signed(), page, all);
        }
        turn.say(NoticeKind::Done, format!("Added {title}. Esc closes; ‹steps.save› saves."));
    }

    /// Shows the product of the row in place of another, from the same second on.
    fn swap_product(&mut self, row: Option<Row>, now: Moment, turn: &mut Turn) {
        let Mode::Products(choosing) = &self.mode else { return };
        let found = match row {
            Some(Row::Found(found)) => found,
            None => return self.say_none(turn),
            Some(Row::Shown(_)) if choosing.found.is_empty() => return self.say_none(turn),
            Some(Row::Shown(_)) => {
                turn.say(NoticeKind::Hint, "The step shows it already. Choose one of those below.");
                return;
            }
        };
        let (Some(old), Some(new)) = (choosing.replaces.clone(), choosing.found.get(found)) else { return };
        let step = choosing.step;
        let store = choosing.store.clone().unwrap_or_default();
        let to = StepProduct { store, product_id: new.id.clone(), from: old.from, ..StepProduct::default() };
        if self
            .products_of(step)
            .iter()
            .any(|shown| shown.product_id == to.product_id && shown.store.is_same(&to.store))
        {
            let title = self.product_titles(std::slice::from_ref(&to));
            turn.say(NoticeKind::Hint, format!("The step shows {title} already. Choose another one."));
            return;
        }
        let titles = [&old, &to].map(|product| self.product_titles(std::slice::from_ref(product)));
        let Some(at) = self.place_of(step, &old, turn) else { return };
        self.end_products(turn);
        let [title, instead] = titles;
        if self.edit(Edit::ChangeProduct { step, at, to: Some(to), title: title.clone() }, now, turn) {
            turn.say(
                NoticeKind::Done,
                format!("Shows {instead} in place of {title}. ‹steps.undo› undoes it; ‹steps.save› saves."),
            );
        }
    }

    /// Says why there is nothing to choose.
    fn say_none(&self, turn: &mut Turn) {
        let Mode::Products(choosing) = &self.mode else { return };
        let is_searching = choosing.request.is_some();
        let say =
            if is_searching { "Still searching." } else { "No product was found. Type / to search for another one." };
        turn.say(NoticeKind::Hint, say);
    }

    fn remove_product(&mut self, row: Option<Row>, now: Moment, turn: &mut Turn) {
        let Some(step) = self.choosing_products().map(|choosing| choosing.step) else { return };
        let Some(Row::Shown(at)) = row else {
            turn.say(NoticeKind::Hint, "The step doesn't show this product. Enter adds it.");
            return;
        };
        self.change_product(step, at, now, turn, |_| None);
        self.place_product_row();
    }

    /// Changes one of the step's products.
    fn change_product(
        &mut self,
        step: StepRef,
        at: usize,
        now: Moment,
        turn: &mut Turn,
        change: impl FnOnce(StepProduct) -> Option<StepProduct>,
    ) {
        let Some(product) = self.products_of(step).get(at).cloned() else { return };
        let title = self.product_titles(std::slice::from_ref(&product));
        self.edit(Edit::ChangeProduct { step, at, to: change(product), title }, now, turn);
    }

    /// Lets the variant be chosen of a product that the step shows.
    fn ask_variant(&mut self, row: Option<Row>, turn: &mut Turn) {
        let Mode::Products(choosing) = &self.mode else { return };
        let (step, Some(Row::Shown(at))) = (choosing.step, row) else {
            turn.say(NoticeKind::Hint, "Enter adds the product first; then ‹step_products.variant› sets its variant.");
            return;
        };
        let Some(product) = self.products_of(step).get(at).cloned().map(Box::new) else { return };
        let variants = self.shared.catalog.variants(&product);
        if variants.is_empty() {
            turn.say(NoticeKind::Hint, "No variants of this product are known.");
            return;
        }
        let any = Entry { label: "All variants".to_owned(), ..Entry::default() };
        let entry = |variant: &ListedVariant| Entry {
            label: variant.title.clone(),
            detail: if variant.sold_out == Some(true) { "sold out".to_owned() } else { String::new() },
            right: variant.price.clone(),
        };
        let all = (Answer::ProductVariant(step, product.clone(), None), any);
        let each = variants.iter().map(|one| {
            let answer = Answer::ProductVariant(step, product.clone(), Some(one.id.clone()));
            (answer, entry(one))
        });
        let options: Vec<_> = std::iter::once(all).chain(each).collect();
        turn.question(Question::choose(options, |entries| Picker::new("Variant to show", entries)));
    }

    /// Asks from which second on a product shows.
    fn ask_from(&mut self, row: Option<Row>, turn: &mut Turn) {
        let Mode::Products(choosing) = &self.mode else { return };
        let (step, Some(Row::Shown(at))) = (choosing.step, row) else {
            turn.say(NoticeKind::Hint, "Enter adds the product first; then ‹step_products.from› sets when it shows.");
            return;
        };
        let Some(product) = self.products_of(step).get(at).cloned().map(Box::new) else { return };
        let from = product.from.map(|from| from.to_string()).unwrap_or_default();
        let prompt = Prompt::new("Show from second (empty: from the start)", &from);
        turn.question(Question::line(prompt, Answer::ProductFrom(step, product)));
    }

    /// Where a step still shows a product that a question was about. Somebody else may have changed the project meanwhile.
    fn place_of(&self, step: StepRef, product: &StepProduct, turn: &mut Turn) -> Option<usize> {
        let at = self.products_of(step).iter().position(|shown| shown == product);
        if at.is_none() {
            turn.say(NoticeKind::Warning, "The step no longer shows this product.");
        }
        at
    }

    pub(in super::super) fn set_variant(
        &mut self,
        step: StepRef,
        product: &StepProduct,
        variant: Option<VariantId>,
        now: Moment,
        turn: &mut Turn,
    ) {
        let Some(at) = self.place_of(step, product, turn) else { return };
        self.change_product(step, at, now, turn, |product| Some(StepProduct { variant_id: variant, ..product }));
    }

    pub(in super::super) fn set_from(
        &mut self,
        step: StepRef,
        product: &StepProduct,
        typed: &str,
        now: Moment,
        turn: &mut Turn,
    ) {
        let typed = typed.trim();
        let seconds = typed.replace(',', ".").parse::<f64>().ok();
        let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        if seconds.is_none() && !typed.is_empty() {
            let say = format!("“{}” isn't a number of seconds, such as 4 or 2.5.", text::line(typed));
            turn.outcomes.push(Outcome::Notify(NoticeKind::Warning, say));
            return;
        }
        let Some(at) = self.place_of(step, product, turn) else { return };
        self.change_product(step, at, now, turn, |product| Some(StepProduct { from: seconds.map(Num), ..product }));
    }
}
