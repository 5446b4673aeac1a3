//! Waking the process that serves a folder, where somebody stopped it: it keeps the locks of the folder, answers nobody,
//! and hands nothing over.

use std::path::Path;

/// Wakes the process that serves a folder, where it is this user's and was stopped. Whether it was.
#[cfg(target_os = "linux")]
pub fn wake(folder: &Path) -> bool {
    use rustix::process::{Pid, Signal, kill_process};

    let served_by = super::record::Record::read(folder).map(|record| record.pid);
    let stopped = served_by.filter(|pid| is_own(*pid) && is_stopped(*pid) && is_holder(*pid, folder));
    let stopped = stopped.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    stopped.is_some_and(|pid| kill_process(pid, Signal::CONT).is_ok())
}

/// Elsewhere it isn't known whether it was stopped.
#[cfg(not(target_os = "linux"))]
pub fn wake(_folder: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn is_own(pid: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|process| process.uid() == super::private::user())
}

/// Whether a signal stopped it; a debugger that did so is left alone.
#[cfg(target_os = "linux")]
fn is_stopped(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Its name is in brackets, and may have some in it.
    stat.rsplit_once(')').is_some_and(|(_, state)| state.trim_start().starts_with('T'))
}

/// Whether it has the folder's lock file open: where processes of several systems see a folder, one of this number may
/// be another one here.
#[cfg(target_os = "linux")]
fn is_holder(pid: u32, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let Ok(lock) = std::fs::metadata(folder.join(super::folder::LOCK)) else { return false };
    let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let is_lock = |file: std::fs::Metadata| (file.dev(), file.ino()) == (lock.dev(), lock.ino());
    open.flatten().any(|file| std::fs::metadata(file.path()).is_ok_and(is_lock))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs::File;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process};

    use super::super::folder::Folder;
    use super::super::record::Record;
    use super::*;

    #[test]
    fn only_a_stopped_process_that_holds_the_folder_is_woken() {
        let dir = tempfile::tempdir().unwrap();
        let held = Folder::take(dir.path()).unwrap();
        assert!(!wake(dir.path()), "it is this process, which runs");
        let lock = dir.path().join(super::super::folder::LOCK);
        for (open, is_woken) in [(lock, true), (dir.path().join("another"), false)] {
            let open = File::options().create(true).truncate(false).write(true).open(open).unwrap();
            let mut child = Command::new("sleep").arg("600").stdout(Stdio::from(open)).spawn().unwrap();
            let record = Record { pid: child.id(), ..Record::starting(dir.path()).unwrap() };
            record.write(dir.path()).unwrap();
            assert!(!wake(dir.path()), "it runs");
            let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
            kill_process(pid, Signal::STOP).unwrap();
            let begun = Instant::now();
            while !is_stopped(child.id()) {
                assert!(begun.elapsed() < Duration::from_secs(60), "it does not stop");
                std::thread::yield_now();
            }
            assert_eq!(wake(dir.path()), is_woken);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        drop(held);
    }
}
