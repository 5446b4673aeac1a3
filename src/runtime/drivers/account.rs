//! The driver of the Account screen: signs in and out, reads and writes profiles.

use std::pin::pin;
use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::context::{Answer, Context, Driver, Lost};
use super::desk::Desk;
use crate::api::Me;
use crate::client::oauth::{AuthServer, PastedCode, Redirect};
use crate::client::{Hosts, Limits};
use crate::runtime::failure;
use crate::runtime::profiles::{remove_profile, save_profile};
use crate::runtime::renaming::rename_profile;
use crate::runtime::signing::{access, prove};
use crate::settings::{
    Config, CredentialStore, Credentials, Entry, Environment, Flags, Kept, LOCAL_PROFILE, Place, Profile, Secret,
    Target, Tokens, are_own, edit_config,
};
use crate::studio::KnownProfile;
use crate::studio::account::{Effect, Event, SignInStep, Way};
use crate::studio::event::{Event as Outer, Failure};
use crate::studio::{Asks, Unanswered};

/// So many texts that were pasted wait to be looked at.
const MOST_PASTED: usize = 8;

/// Carries out what the Account screen asks for.
pub struct AccountDriver {
    desk: Arc<Desk>,
    /// Ends the sign-in that is under way.
    signing: CancellationToken,
    /// Where pasted codes go while one is.
    pasted: broadcast::Sender<String>,
}

/// What tasks need.
#[derive(Clone)]
struct Work {
    context: Context,
    desk: Arc<Desk>,
}

/// The profiles that there are, with what is known of their credentials without asking the keyring.
#[must_use]
pub fn known_profiles(config: &Config, credentials: &Credentials) -> Vec<KnownProfile> {
    let default = config.default_profile.as_deref().unwrap_or(LOCAL_PROFILE);
    let credential = |name: &str| match credentials.entry(name) {
        _ if name == LOCAL_PROFILE => Some("its own".to_owned()),
        Some(Entry::Here(secret)) => Some(format!("{}, credential file", secret.kind())),
        Some(Entry::Keyring) => Some("keyring".to_owned()),
        None => None,
    };
    let known = |name: &str, profile: &Profile| KnownProfile {
        name: name.to_owned(),
        profile: profile.clone(),
        credential: credential(name),
        is_default: name == default,
    };
    let local = config.profiles.get(LOCAL_PROFILE).cloned().unwrap_or_default();
    let local = Profile { base_url: None, ..local };
    let others = config.profiles.iter().filter(|(name, _)| *name != LOCAL_PROFILE);
    std::iter::once(known(LOCAL_PROFILE, &local)).chain(others.map(|(name, profile)| known(name, profile))).collect()
}

impl AccountDriver {
    /// The driver of a studio whose loop is `events`.
    #[must_use]
    pub fn new(events: UnboundedSender<Outer>) -> Self {
        Self {
            desk: Arc::new(Desk::new(events)),
            signing: CancellationToken::new(),
            pasted: broadcast::Sender::new(MOST_PASTED),
        }
    }

    /// Where calls wait for the person.
    #[must_use]
    pub fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// Begins to sign in. The sign-in before is no longer wanted.
    fn sign_in(&mut self, effect: Effect, context: &Context) {
        self.signing.cancel();
        self.signing = CancellationToken::new();
        let lost = Lost::beside(&effect);
        let Effect::SignIn { profile, way } = effect else { return };
        let (token, pasted) = (self.signing.clone(), self.pasted.subscribe());
        let work = Work { context: context.clone(), desk: Arc::clone(&self.desk) };
        context.answer(None, 0, lost, async move {
            let signed = token.run_until_cancelled(work.sign_in(profile, way, pasted)).await?;
            Some(signed.unwrap_or_else(Event::SignInFailed))
        });
    }
}

/// Whether it changes profiles or their credentials.
fn changes(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Save { .. }
            | Effect::Remove { .. }
            | Effect::SetDefault { .. }
            | Effect::Rename { .. }
            | Effect::SignIn { .. }
            | Effect::SignOut { .. }
    )
}

impl Driver for AccountDriver {
    type Effect = Effect;

    fn hand_over(&mut self, effect: Effect, context: &Context) -> Option<Effect> {
        if changes(&effect) && !context.host.profiles {
            let why = Unanswered::Refused("Profiles can't be changed here.".to_owned());
            if let Some(event) = effect.unanswered(&why) {
                context.tell(event.into());
            }
            return None;
        }
        match effect {
            Effect::SignIn { .. } => self.sign_in(effect, context),
            Effect::Pasted(text) => drop(self.pasted.send(text)),
            Effect::CancelSignIn => self.signing.cancel(),
            Effect::DeclineSignIn => {
                self.signing.cancel();
                self.desk.declined();
            }
            Effect::AnswerWrite(answer) => self.desk.answer_write(answer),
            // The loop's own.
            Effect::Switch(_) | Effect::RenameOpen(_) => {}
            effect => return Some(effect),
        }
        None
    }

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        let work = Work { context, desk: Arc::clone(&self.desk) };
        Box::pin(work.answered(effect))
    }
}

impl Work {
    async fn answered(self, effect: Effect) -> Option<Event> {
        let broken_off = effect.unanswered(&Unanswered::BrokenOff);
        match effect {
            Effect::AskWho(request) => Some(Event::Who { request, who: self.who().await? }),
            Effect::SignOut { request, name } => {
                Some(Event::SignedOut { request, signed_out: self.sign_out(name).await })
            }
            effect => {
                let tasks = self.context.tasks.clone();
                tasks.block(move || self.filed(effect)).await.unwrap_or(broken_off)
            }
        }
    }

    /// Answers what only reads and writes files, on a thread for that.
    fn filed(&self, effect: Effect) -> Option<Event> {
        let folders = &self.context.host.folders;
        Some(match effect {
            Effect::ReadProfiles => Event::Profiles(self.profiles()),
            Effect::Save { request, name, before, profile } => {
                let new = before.is_none() && profile.base_url.is_some();
                let saved = self.save(&name, before.as_deref(), &profile).map(|()| (name, new));
                Event::Saved { request, saved }
            }
            Effect::Remove { request, name } => {
                let remove = |store| remove_profile(folders, store, &name).map_err(|error| error.to_string());
                let said = || format!("Removed the profile {name}. The service keeps its data.");
                Event::Done { request, done: self.store().and_then(remove).map(|()| said()) }
            }
            Effect::SetDefault { request, name } => {
                let set = self.change(|edit| edit.set_default(&name));
                Event::Done { request, done: set.map(|()| format!("{name} is now the default profile.")) }
            }
            Effect::Rename { request, from, to } => {
                let rename = |store| rename_profile(folders, store, &from, &to).map_err(|error| error.to_string());
                let renamed = self.store().and_then(rename).map_err(|why| format!("{from} keeps its name: {why}"));
                Event::Renamed { request, renamed: renamed.map(|()| (from, to)) }
            }
            _ => return None,
        })
    }

    fn tell(&self, event: Event) {
        self.context.tell(Outer::Account(event));
    }

    fn config(&self) -> Config {
        self.context.host.folders.config_file().map(|path| Config::read(&path)).unwrap_or_default()
    }

    fn profiles(&self) -> Vec<KnownProfile> {
        let file = self.context.host.folders.credentials_file().ok();
        let credentials = file.and_then(|path| Credentials::read(&path).ok()).unwrap_or_default();
        let mut known = known_profiles(&self.config(), &credentials);
        if !self.context.host.profiles {
            known.retain(|profile| profile.name == self.context.target.name());
        }
        known
    }

    fn store(&self) -> Result<&CredentialStore, String> {
        self.context.host.credentials.as_ref().ok_or_else(|| "No home folder to save profiles in.".to_owned())
    }

    /// Saves a profile; the person is told of a credential that does not go with it.
    fn save(&self, name: &str, before: Option<&Profile>, profile: &Profile) -> Result<(), String> {
        let saved = save_profile(&self.context.host.folders, self.store()?, name, (before, profile), false);
        if let Some(said) = saved.map_err(|error| error.to_string())? {
            self.context.tell(Outer::NotKept(said));
        }
        Ok(())
    }

    fn change(
        &self,
        change: impl FnOnce(&mut crate::settings::ConfigEdit) -> Result<(), crate::settings::ConfigEditError>,
    ) -> Result<(), String> {
        let path = self.context.host.folders.config_file().map_err(|error| error.to_string())?;
        edit_config(&path, change).map_err(|error| error.to_string())
    }

    /// Who the credential belongs to; `None` where nobody is there to ask.
    async fn who(&self) -> Option<Result<String, Failure>> {
        Some(match self.context.client()?.call(&Me).await {
            Ok(answer) => Ok(answer.value.called().to_owned()),
            Err(error) => Err(failure(&error)),
        })
    }

    /// The hosts of a profile, as the configuration has them.
    fn hosts_of(&self, profile: &str) -> Result<Hosts, String> {
        let flags = Flags { profile: Some(profile.to_owned()), ..Flags::default() };
        let target = Target::resolve(&flags, &Environment::default(), &self.config(), &Credentials::default());
        match target.map_err(|error| error.to_string())?.place {
            Place::Remote(hosts) => Ok(*hosts),
            Place::Local => Err("The local workspace needs no sign-in.".to_owned()),
        }
    }

    async fn sign_in(
        &self,
        profile: Option<String>,
        way: Way,
        pasted: broadcast::Receiver<String>,
    ) -> Result<Event, String> {
        let open = &self.context.target.profile;
        let is_open = profile.is_none() || profile == *open;
        let hosts = match (&profile, &self.context.target.place) {
            (Some(profile), _) if !is_open => self.hosts_of(profile)?,
            (_, Place::Remote(hosts)) => (**hosts).clone(),
            (_, Place::Local) => return Err("The local workspace needs no sign-in.".to_owned()),
        };
        // What can't be kept is not asked for: nobody approves in a browser for nothing.
        if let Some(store) = &self.context.host.credentials {
            Credentials::read(store.file()).map_err(|error| error.to_string())?;
        }
        let secret = match way {
            Way::Key(key) => Secret::Key(key),
            Way::Device => Secret::Tokens(Box::new(self.by_device(&hosts).await?)),
            Way::Browser => Secret::Tokens(Box::new(self.by_browser(&hosts, pasted).await?)),
        };
        self.tell(Event::SignIn(SignInStep::Proving));
        let user = prove(&hosts, &secret).await.map_err(|error| error.to_string())?;
        let name = profile.or_else(|| open.clone());
        // What was signed in to beside the profile's own addresses is no credential of the profile.
        let kept_for = name.as_ref().filter(|name| self.hosts_of(name).is_ok_and(|own| are_own(&own, &hosts)));
        let source = match (kept_for, &self.context.host.credentials) {
            (Some(name), Some(store)) => {
                let kept = self.keep(store.clone(), name.clone(), secret.clone()).await?;
                if let Some(warning) = kept.warning() {
                    self.context.tell(Outer::NotKept(warning));
                }
                kept.source.to_string()
            }
            // Without a profile there is nothing to keep it with.
            _ => "this session only".to_owned(),
        };
        let mut resumed = false;
        if is_open {
            if let Some(client) = self.context.client() {
                let with = access(
                    Some(secret.clone()),
                    &hosts,
                    kept_for.map(String::as_str),
                    self.context.host.credentials.as_ref(),
                    Some(self.context.tasks.clone()),
                );
                client.sign_in(with.key, with.tokens).await;
            }
            resumed = self.desk.signed_in();
        }
        let who = user.called().to_owned();
        let source = format!("{}, {source}", secret.kind());
        Ok(Event::SignedIn { profile: if is_open { None } else { name }, who, source, resumed })
    }

    /// Keeps the credential, and opens the profile first from now on where none is.
    async fn keep(&self, store: CredentialStore, name: String, secret: Secret) -> Result<Kept, String> {
        let work = self.clone();
        let kept = self.context.tasks.block(move || {
            let kept = store.keep(&name, &secret).map_err(|error| error.to_string())?;
            let config = work.config();
            if config.default_profile.is_none() && config.profiles.contains_key(&name) {
                work.change(|edit| edit.set_default(&name))?;
            }
            Ok(kept)
        });
        kept.await.map_err(|error| error.to_string())?
    }

    async fn by_device(&self, hosts: &Hosts) -> Result<Tokens, String> {
        let server = AuthServer::discover(hosts, &Limits::default()).await.map_err(|error| error.to_string())?;
        let request = server.begin_device().await.map_err(|error| error.to_string())?;
        self.tell(Event::SignIn(SignInStep::Device {
            user_code: request.user_code.clone(),
            address: request.address.to_string(),
            whole_address: request.whole_address.to_string(),
            lasts: request.lasts.as_secs(),
        }));
        server.wait_for_device(&request).await.map_err(|error| error.to_string())
    }

    async fn by_browser(&self, hosts: &Hosts, mut pasted: broadcast::Receiver<String>) -> Result<Tokens, String> {
        let server = AuthServer::discover(hosts, &Limits::default()).await.map_err(|error| error.to_string())?;
        if !self.context.host.listening {
            return Err("Sign-in in a browser doesn't work here. Use a code or a key.".to_owned());
        }
        let redirect = Redirect::listen().await.map_err(|error| error.to_string())?;
        let request = server.begin_code(&redirect.url).map_err(|error| error.to_string())?;
        self.tell(Event::SignIn(SignInStep::Browser { address: request.address.to_string() }));
        let back = {
            let mut redirected = pin!(redirect.wait(&request));
            loop {
                tokio::select! {
                    back = &mut redirected => break back,
                    Ok(text) = pasted.recv() => {
                        if let Ok(back) = PastedCode::read(&text) {
                            break back;
                        }
                    }
                }
            }
        };
        server.redeem(request, back).await.map_err(|error| error.to_string())
    }

    async fn sign_out(&self, profile: String) -> Result<String, String> {
        let store = self.store()?.clone();
        let name = profile.clone();
        let forgotten = self.context.tasks.block(move || store.forget(&name)).await;
        match forgotten {
            Ok(Ok(forgotten)) => {
                let is_open = Some(&profile) == self.context.target.profile.as_ref();
                if let Some(client) = self.context.client().filter(|_| is_open) {
                    client.sign_in(None, None).await;
                }
                if let (Some(Some(Secret::Tokens(tokens))), Ok(hosts)) = (forgotten, self.hosts_of(&profile))
                    && hosts.auth.as_str().trim_end_matches('/') == tokens.issuer
                {
                    // Here they are gone already; a server that is away need not know.
                    let revoking = async move {
                        let _ = AuthServer::discover(&hosts, &Limits::default()).await?.revoke(&tokens).await;
                        Ok::<(), crate::client::oauth::OAuthError>(())
                    };
                    self.context.tasks.spawn(async move { drop(revoking.await) });
                }
                Ok(profile)
            }
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}
