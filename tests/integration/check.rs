//! `kb-exporter check`: what it says of a portal, and with which code it ends.

use kb_simulator::Status;
use kb_simulator::faults::Target;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::portal::Portal;
use crate::support::process::said;
use crate::support::workspace::Workspace;

const KEY: &str = "kbk_demo";

/// One thing that is otherwise than at a portal that can be read.
type Otherwise = fn(&Portal, [Uuid; 2], &mut Value);

/// What is otherwise, the code, what is said, and what is not.
type Row = (Otherwise, i32, &'static [&'static str], &'static str);

const TABLE: [Row; 12] = [
    (
        |_, _, _| {},
        0,
        &[
            "│ main   ┆ Inbox   ┆   101 ┆ can be read",
            "off in 2 folders",
        ],
        "portal:",
    ),
    (
        |portal, [_, archive], _| portal.world(|world| world.delete_folder(archive)).unwrap(),
        0,
        &["101 ┆ can be read", "deleted since"],
        "most folders left",
    ),
    (
        |portal, folders, _| {
            for folder in folders {
                portal.world(|world| world.delete_folder(folder)).unwrap();
            }
        },
        1,
        &["most folders left within a day"],
        "can be read",
    ),
    (
        |portal, _, _| portal.world(|world| world.revoke_key(KEY)),
        1,
        &["status 401"],
        "Inbox",
    ),
    (
        |portal, _, _| portal.world(|world| world.key_folders(KEY, [])),
        1,
        &["no folder to collect", "the key may use no folder"],
        "can be read",
    ),
    (
        |portal, [_, archive], _| portal.refuse(Target::Folder(archive), 403),
        1,
        &["101 ┆ can be read", "Archive", "status 403"],
        "deleted since",
    ),
    (
        |_, _, config| config["portals"][0]["folders"] = json!({"exclude": ["Arch*"]}),
        0,
        &["off in 1 folder"],
        "Archive",
    ),
    (
        |_, _, config| config["portals"][0]["folders"] = json!({"include": ["Inbox", "Inbux"]}),
        1,
        &["that match no folder that the key may use: folders.include[1]"],
        "Archive",
    ),
    (
        |_, _, config| config["collect"]["max_folders"] = 1.into(),
        1,
        &["folders beyond collect.max_folders, which are not collected: 1"],
        "Archive",
    ),
    (
        |_, _, config| {
            let mut other = config["portals"][0].clone();
            other["name"] = "other".into();
            other["ca_file"] = "/nonexistent/ca.pem".into();
            config["portals"].as_array_mut().unwrap().push(other);
        },
        1,
        &[
            "101 ┆ can be read",
            "the file that ca_file names cannot be read",
        ],
        "nonexistent",
    ),
    (
        |portal, _, config| {
            let address = portal.base_url().replace("http://", "https://");
            config["portals"][0]["base_url"] = address.into();
        },
        1,
        &["the port speaks no TLS"],
        "Inbox",
    ),
    (
        |portal, _, config| {
            portal.hold("/mine");
            config["request"] = json!({"timeout": "100ms", "retries": 4});
        },
        1,
        &["no complete answer within 100ms"],
        "Inbox",
    ),
];

#[tokio::test]
async fn what_cannot_be_collected_is_said_and_ends_with_1() {
    for (line, (otherwise, code, says, says_not)) in TABLE.into_iter().enumerate() {
        let portal = Portal::start().await;
        let folders = [("Inbox", 101), ("Archive", 0)].map(|(name, files)| {
            let folder = portal.folder(name);
            let added = portal.world(|world| world.add_files(folder, &Status::Done, files));
            added.unwrap();
            folder
        });
        let mut workspace = Workspace::new(&[("main", portal.base_url())]);
        workspace.change(|config| otherwise(&portal, folders, config));
        let output = workspace.run(&["check"]).await;
        let text = said(&output);
        assert_eq!(output.status.code(), Some(code), "line {line}: {text}");
        let is_said = says.iter().all(|says| text.contains(says));
        assert!(is_said && !text.contains(says_not), "line {line}: {text}");
        assert!(!text.contains(KEY), "line {line}: {text}");
        let most = portal.requests_with("/files").max(2);
        assert!(portal.requests_with("/mine") <= most, "it is asked twice");
    }
}
