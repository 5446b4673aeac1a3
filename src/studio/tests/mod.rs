//! Screens by key scripts: a line of keys in, a screen out, over the real `update` and `view`.

mod awaiting;
mod duplicates;
mod facets;
mod films;
mod hints;
mod hostile;
mod levels_off;
mod marks;
mod mouse;
mod panes;
mod pictures;
mod player;
mod probe;
mod products;
mod projects;
mod projects_hostile;
mod scripts;
mod searches;
mod steps;
mod steps_hostile;
mod steps_lists;
mod switching;
mod trying_again;
mod uploading;
mod videos;
mod wheel;
