//! Plain mode: whatever is entered is answered.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{steps_of, store};

/// What may be entered: what means something, and what doesn't.
fn lines() -> impl Strategy<Value = String> {
    const KNOWN: &str = "|1|2|3|4|5|6|j|k|Enter|Esc|Tab|Space|list|list all|more|where|?|help|help wool|search|search wool|filters|theme|theme x|go Gift|open Gift|go|open|wire|wire 1|wire 2 to new|wire to end|wire 0|to end|to nobody|save|play|n|u|x|key|key j|key nothing|=|=Esc|new step|find x|find|Ctrl-R|record|as command|copy";
    prop_oneof![4 => select(KNOWN.split('|').collect::<Vec<_>>()).prop_map(str::to_owned), 1 => "\\PC{0,300}", 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_entered_is_answered(
        lines in vec(lines(), 1..40),
        of_steps in any::<bool>(),
    ) {
        let mut probe = if of_steps { steps_of("Gift finder") } else { store() };
        for line in lines {
            let said = probe.says(&line);
            prop_assert!(!said.is_empty(), "{line:?}");
        }
    }
}
