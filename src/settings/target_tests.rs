use super::*;

const CONFIG: &str = r#"
theme = "dusk"
[profiles.shop]
base_url = "https://shop.example"
lb_base_url = "https://lb.shop.example"
stores = ["https://one.example", "https://two.example"]
theme = "day"
[profiles.guarded]
base_url = "https://guarded.example"
read_only = true
[profiles.hostless]
theme = "night"
[profiles.local]
base_url = "https://not-local.example"
app_url = "https://sample.example"
"#;

fn key(text: &str) -> Secret {
    Secret::Key(ApiKey::new(text))
}

struct Case {
    flags: Flags,
    environment: Vec<(&'static str, &'static str)>,
    config: String,
}

fn case() -> Case {
    Case { flags: Flags::default(), environment: Vec::new(), config: CONFIG.to_owned() }
}

impl Case {
    fn flag(mut self, set: impl FnOnce(&mut Flags)) -> Self {
        set(&mut self.flags);
        self
    }
    fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }
    fn default_profile(mut self, name: &str) -> Self {
        self.config = format!("default_profile = {name:?}\n{}", self.config);
        self
    }
    fn try_resolve(self) -> Result<Target, TargetError> {
        let mut credentials = Credentials::default();
        credentials.set("shop", Entry::Here(key("file-key")));
        let environment = self.environment.into_iter().collect();
        Target::resolve(&self.flags, &environment, &Config::parse(&self.config, "config.toml"), &credentials)
    }
    fn resolve(self) -> Target {
        self.try_resolve().unwrap()
    }
    fn refused(self) -> String {
        self.try_resolve().unwrap_err().to_string()
    }
}

fn hosts(target: &Target) -> &Hosts {
    match &target.place {
        Place::Remote(hosts) => hosts,
        Place::Local => panic!("local"),
    }
}

#[test]
fn nothing_given_is_the_local_workspace() {
    let target = case().resolve();
    assert!(target.is_local());
    assert_eq!(target.name(), "local");
    assert_eq!(target.credential_source, CredentialSource::LocalWorkspace);
    assert_eq!(target.app_url, Some(StoreUrl::from("https://sample.example")));
    assert_eq!(target.theme.as_deref(), Some("dusk"));
    assert_eq!(target.read_only, None);
}

#[test]
fn local_is_local_whatever_the_configuration_says_of_its_hosts() {
    assert!(case().flag(|f| f.profile = Some("local".into())).resolve().is_local());
    assert!(case().env("CUTAWAY_PROFILE", "local").default_profile("shop").resolve().is_local());
}

#[test]
fn local_and_a_base_url_do_not_mix() {
    let local = || case().flag(|f| f.profile = Some("local".into()));
    assert!(local().flag(|f| f.base_url = Some("https://x.example".into())).refused().contains("contradict"));
    assert!(local().env("CUTAWAY_BASE_URL", "https://x.example").resolve().is_local());
    let remote = case().env("CUTAWAY_PROFILE", "local").env("CUTAWAY_BASE_URL", "https://x.example").resolve();
    assert_eq!((remote.profile.as_deref(), remote.name()), (None, "x.example"));
}

#[test]
fn a_profile_brings_its_hosts_stores_and_key() {
    for target in [
        case().flag(|f| f.profile = Some("shop".into())).resolve(),
        case().env("CUTAWAY_PROFILE", "shop").resolve(),
        case().default_profile("shop").resolve(),
    ] {
        assert_eq!(hosts(&target).base.as_str(), "https://shop.example/");
        assert_eq!(hosts(&target).lb.as_ref().unwrap().as_str(), "https://lb.shop.example/");
        assert_eq!(hosts(&target).upload, hosts(&target).base);
        assert_eq!(hosts(&target).auth, hosts(&target).base);
        assert_eq!(target.credential, Some(key("file-key")));
        assert_eq!(target.credential_source.to_string(), "credential file");
        assert_eq!(target.app_url, Some(StoreUrl::from("https://one.example")));
        assert_eq!(target.stores.len(), 2);
        assert_eq!(target.theme.as_deref(), Some("day"));
    }
}

#[test]
fn a_flag_goes_before_the_environment_and_that_before_the_profile() {
    let target = case()
        .flag(|f| f.profile = Some("shop".into()))
        .env("CUTAWAY_PROFILE", "guarded")
        .env("CUTAWAY_LB_BASE_URL", "https://env-lb.example")
        .env("CUTAWAY_UPLOAD_URL", "https://env-up.example")
        .flag(|f| f.upload_url = Some("https://flag-up.example".into()))
        .env("CUTAWAY_APP_URL", "https://env.store")
        .env("CUTAWAY_THEME", "mono")
        .env("CUTAWAY_API_KEY", "env-key")
        .resolve();
    assert_eq!((target.profile.as_deref(), &target.refused), (Some("shop"), &None));
    assert_eq!(hosts(&target).lb.as_ref().unwrap().as_str(), "https://env-lb.example/");
    assert_eq!(hosts(&target).upload.as_str(), "https://flag-up.example/");
    assert_eq!(target.app_url, Some(StoreUrl::from("https://env.store")));
    assert_eq!(target.theme.as_deref(), Some("mono"));
    assert_eq!(target.credential, Some(key("env-key")));
    assert_eq!(target.credential_source.to_string(), "environment CUTAWAY_API_KEY");
}

#[test]
fn a_base_url_with_a_key_needs_no_profile() {
    let target = case().env("CUTAWAY_BASE_URL", "http://127.0.0.1:9/x").env("CUTAWAY_API_KEY", " k ").resolve();
    assert_eq!(target.profile, None);
    assert_eq!(target.name(), "127.0.0.1");
    assert_eq!(hosts(&target).base.as_str(), "http://127.0.0.1:9/x");
    assert_eq!(target.credential, Some(key("k")));
    assert_eq!(target.warnings, [] as [&str; 0]);
}

#[test]
fn a_base_url_never_gets_the_default_profiles_key() {
    let target =
        case().default_profile("shop").flag(|f| f.base_url = Some("https://elsewhere.example".into())).resolve();
    assert_eq!((target.credential, target.credential_source), (None, CredentialSource::Missing));
    assert_eq!(target.stores, []);
    let asked = case()
        .flag(|f| f.profile = Some("shop".into()))
        .flag(|f| f.base_url = Some("https://elsewhere.example".into()))
        .resolve();
    assert_eq!((asked.credential, asked.credential_source), (None, CredentialSource::Missing));
    let why = asked.refused.unwrap();
    assert!(why.contains("cutaway login --profile elsewhere.example --base-url https://elsewhere.example/"), "{why}");
}

#[test]
fn a_kept_credential_belongs_to_the_origins_of_its_profile() {
    let shop = || case().flag(|f| f.profile = Some("shop".into()));
    for own in [
        shop().flag(|f| f.base_url = Some("https://SHOP.example:443/v1".into())),
        shop().flag(|f| f.upload_url = Some("https://lb.shop.example/up".into())),
        shop().env("CUTAWAY_AUTH_URL", "https://shop.example"),
    ] {
        let target = own.resolve();
        assert_eq!((target.credential, target.refused), (Some(key("file-key")), None));
    }
    for (foreign, named) in [
        (shop().flag(|f| f.base_url = Some("http://shop.example".into())), "--base-url"),
        (shop().flag(|f| f.base_url = Some("https://shop.example:8443".into())), "--base-url"),
        (shop().env("CUTAWAY_BASE_URL", "https://x.example"), "CUTAWAY_BASE_URL"),
        (shop().flag(|f| f.lb_base_url = Some("https://x.example".into())), "--lb-base-url"),
        (shop().env("CUTAWAY_LB_BASE_URL", "https://x.example"), "CUTAWAY_LB_BASE_URL"),
        (shop().flag(|f| f.upload_url = Some("https://x.example".into())), "--upload-url"),
        (shop().env("CUTAWAY_UPLOAD_URL", "https://x.example"), "CUTAWAY_UPLOAD_URL"),
        (shop().flag(|f| f.auth_url = Some("https://x.example".into())), "--auth-url"),
        (case().env("CUTAWAY_PROFILE", "shop").env("CUTAWAY_BASE_URL", "https://x.example"), "CUTAWAY_BASE_URL"),
        (case().default_profile("shop").env("CUTAWAY_UPLOAD_URL", "https://x.example"), "CUTAWAY_UPLOAD_URL"),
    ] {
        let target = foreign.resolve();
        assert_eq!((&target.credential, target.credential_source), (&None, CredentialSource::Missing), "{named}");
        let why = target.refused.unwrap();
        assert!(why.contains(named) && why.contains("CUTAWAY_API_KEY") && !why.contains("file-key"), "{why}");
    }
    let given = shop().env("CUTAWAY_BASE_URL", "https://x.example").env("CUTAWAY_API_KEY", "env-key").resolve();
    assert_eq!((given.credential, given.refused), (Some(key("env-key")), None), "it goes where one says");
}

#[test]
fn a_key_from_standard_input_goes_before_the_environment() {
    let target = case()
        .flag(|f| f.base_url = Some("https://x.example".into()))
        .flag(|f| f.api_key = Some(ApiKey::new("stdin-key")))
        .env("CUTAWAY_API_KEY", "env-key")
        .resolve();
    assert_eq!(target.credential_source.to_string(), "standard input");
    assert!(!format!("{target:?}").contains("stdin-key"));
}

#[test]
fn read_only_adds_up() {
    let reason = |case: Case| case.resolve().read_only;
    assert_eq!(reason(case().flag(|f| f.read_only = true)), Some(ReadOnlyReason::Flag));
    assert_eq!(reason(case().env("CUTAWAY_READ_ONLY", "1")), Some(ReadOnlyReason::Environment));
    let guarded = || case().flag(|f| f.profile = Some("guarded".into()));
    assert_eq!(reason(guarded()), Some(ReadOnlyReason::Profile));
    assert_eq!(reason(guarded().env("CUTAWAY_READ_ONLY", "0")), Some(ReadOnlyReason::Profile));
    assert!(case().env("CUTAWAY_READ_ONLY", "perhaps").refused().contains("true or false"));
}

#[test]
fn what_can_not_be_is_refused_in_words() {
    assert!(case().flag(|f| f.profile = Some("none".into())).refused().contains("local, guarded, hostless, shop"));
    assert!(case().flag(|f| f.profile = Some("hostless".into())).refused().contains("no base_url"));
    assert!(case().flag(|f| f.base_url = Some("shop.example".into())).refused().starts_with("--base-url: "));
    assert!(case().env("CUTAWAY_LB_BASE_URL", "x").refused().starts_with("CUTAWAY_LB_BASE_URL: "));
    assert!(case().flag(|f| f.upload_url = Some("https://u.example".into())).refused().contains("local workspace"));
    let broken = Case { config: "[profiles".to_owned(), ..case() };
    let said = broken.flag(|f| f.profile = Some("shop".into())).refused();
    assert!(said.contains("config.toml:1:"), "a broken file is why: {said}");
}

#[test]
fn what_is_odd_is_a_warning() {
    let key_for_local = case().env("CUTAWAY_API_KEY", "k").resolve();
    assert!(key_for_local.warnings.iter().any(|w| w.contains("not used")));
    let open = case().flag(|f| f.base_url = Some("http://cutaway:7227".into())).resolve();
    assert!(open.warnings.iter().any(|w| w.contains("plain http")));
    let broken = Case { config: "theme = ".to_owned(), ..case() }.resolve();
    assert!(broken.is_local() && broken.warnings[0].contains("config.toml:1:"));
}

#[test]
fn a_faulty_configuration_never_leads_to_the_local_workspace_in_silence() {
    let with = |config: &str| Case { config: config.to_owned(), ..case() };
    let unsure = |case: Case| match case.resolve().sure() {
        Err(TargetError::Config(fault)) => fault,
        other => panic!("{other:?}"),
    };
    for config in [
        "default_profile = \"shop\"\n[profiles.shop\n",
        "default_profile = 3\n[profiles.shop]\nbase_url = \"https://shop.example\"\n",
        "default_profile = \"shpo\"\n[profiles.shop]\nbase_url = \"https://shop.example\"\n",
        "[profiles.shop]\nbase_url = 7\n",
        "[profiles.shop]\nbase_url = \"nonsense\"\n",
    ] {
        assert!(unsure(with(config)).starts_with("config.toml:"), "{config}");
        let told = |case: Case| assert_eq!(case.resolve().sure(), Ok(()), "{config}");
        told(with(config).flag(|f| f.profile = Some("local".into())));
        told(with(config).env("CUTAWAY_PROFILE", "local"));
        told(with(config).flag(|f| f.base_url = Some("https://x.example".into())));
    }
    let shop = "[profiles.shop]\nbase_url = \"https://shop.example\"\nlb_base_url = 7\n[profiles.b]\n\
                base_url = \"https://b.example\"\n";
    let named = |name: &str| with(shop).flag(|f| f.profile = Some(name.into()));
    assert!(unsure(named("shop")).starts_with("config.toml:3:15: lb_base_url"));
    assert_eq!(named("b").resolve().sure(), Ok(()), "another profile's fault");
    let nowhere = with("default_profile = \"shop\"\n[profiles.shop]\nbase_url = 7\n").refused();
    assert!(nowhere.starts_with("config.toml:3:12: base_url: must be a string"), "{nowhere}");
    assert_eq!(case().resolve().sure(), Ok(()));
    assert_eq!(with("theme = 3\nodd = 1\n").resolve().sure(), Ok(()), "what leads nowhere else");
}

#[test]
fn empty_variables_count_as_absent() {
    let target = case().env("CUTAWAY_BASE_URL", "").env("CUTAWAY_PROFILE", " ").env("CUTAWAY_READ_ONLY", "").resolve();
    assert!(target.is_local() && target.read_only.is_none());
}
