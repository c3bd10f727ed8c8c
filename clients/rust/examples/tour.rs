//! Walks once through the client: turns with tools, the window, what leaves it, memory, context,
//! records, errors, erasure. The tours of all languages print the same lines.
//!
//!     cargo run --example tour [ADDRESS [TOKEN]]
//!
//! It asks for a kill of the server, and then of itself; "resume" as a third argument goes on.

use std::env::args;
use std::io::stdin;
use std::time::Duration;

use memory_sidecar::{
    Client, Error, RetryPolicy, Settings, Watch, assistant, call, policy, tool, user, v1,
    visible_to,
};
use tokio::time::sleep;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let address = args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:50151".to_owned());
    // More attempts than usual: a person who kills the server is slow to start it again.
    let max_delay = Duration::from_secs(2);
    let retry = RetryPolicy {
        max_attempts: 30,
        max_delay,
        ..Default::default()
    };
    let mut settings = Settings::new().retry(retry);
    if let Some(token) = args().nth(2) {
        settings = settings.token(token);
    }
    let client = settings.connect(&address)?;
    if args().nth(3).as_deref() != Some("resume") {
        return start(&client).await;
    }
    resume(&client).await?;
    remember(&client).await?;
    records(&client).await?;
    refusals(&client).await?;
    erase(&client).await
}

/// Waits for Enter.
fn ask(text: &str) {
    println!("{text}");
    stdin().read_line(&mut String::new()).expect("a line");
}

/// Has turns while the server is killed, until the program is.
async fn start(client: &Client) -> Result<(), Error> {
    println!("== Turns");
    let turns = policy::preset("turns", [("max_turns", policy::number(1))]);
    let session = v1::Session {
        session_id: "trip".into(),
        user_id: "ada".into(),
        policy: Some(turns),
        ..Default::default()
    };
    client.ensure_session(session).await?;
    let oldest = v1::StreamPosition::Oldest.into();
    let consumer = v1::CreateConsumerRequest {
        consumer_id: "tour".into(),
        start: Some(v1::create_consumer_request::Start::Position(oldest)),
        ..Default::default()
    };
    client.ensure_consumer(consumer).await?;
    let mut trims = watch_trims(client).await?;
    turn(client, 1, "Lisbon").await?;
    show(client).await?;
    turn(client, 2, "Oslo").await?;
    show_trim(&mut trims).await?;
    ask("Kill the server, press Enter, and start it again.");
    turn(client, 3, "Rome").await?;
    show_trim(&mut trims).await?;
    turn(client, 4, "Paris").await?;
    ask("Kill this program, and start it again with resume.");
    Ok(())
}

/// Watches what leaves the window, after what was acknowledged.
async fn watch_trims(client: &Client) -> Result<Watch, Error> {
    let filter = v1::EventFilter {
        session_id: Some("trip".into()),
        event_types: vec![v1::EventType::MessagesTrimmed.into()],
        ..Default::default()
    };
    let start = v1::watch_events_request::Start::ConsumerId("tour".into());
    let (start, filter) = (Some(start), Some(filter));
    client
        .watch(v1::WatchEventsRequest {
            start,
            filter,
            ..Default::default()
        })
        .await
}

/// Asks, runs the tools of the answer side by side, and appends what they found.
async fn turn(client: &Client, number: u32, city: &str) -> Result<(), Error> {
    let arguments = format!("{{\"city\":\"{city}\"}}");
    let table = call(format!("table-{number}"), "find_table", arguments.as_str());
    let weather = call(
        format!("weather-{number}"),
        "get_weather",
        arguments.as_str(),
    );
    let question = user(format!("Where do I eat in {city}?"));
    let calls = vec![table.clone(), weather.clone()];
    let asked = client
        .append("trip", [question, assistant("", calls)])
        .await?;
    let (table, weather) = tokio::join!(run_tool(&table, city), run_tool(&weather, city));
    let answer = assistant(format!("{} {}", table.text, weather.text), vec![]);
    let done = client.append("trip", [table, weather, answer]).await?;
    println!(
        "turn {number} has the seqs {} to {}",
        asked.messages[0].seq, done.last_seq
    );
    Ok(())
}

async fn run_tool(call: &v1::ToolCall, city: &str) -> v1::Message {
    let text = match call.name.as_str() {
        "get_weather" => format!("It is sunny in {city}."),
        _ => format!("The Anchor in {city} has a table."),
    };
    tool(&call.tool_call_id, text)
}

/// Shows what goes to the model.
async fn show(client: &Client) -> Result<(), Error> {
    for message in client.window("trip").await?.messages {
        let role = small(message.role().as_str_name(), "ROLE_");
        let mut line = format!("{} {role}:", message.seq);
        for call in &message.tool_calls {
            line += &format!(" {}({})", call.name, call.arguments);
        }
        if !message.text.is_empty() {
            line += &format!(" {}", message.text);
        }
        println!("{line}");
    }
    Ok(())
}

/// The name of a value of an enum, in small letters.
fn small(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix).to_lowercase()
}

/// Waits for the next trim, shows it, and tells the server that it is done.
async fn show_trim(trims: &mut Watch) -> Result<(), Error> {
    let detail = trims.next().await?.event.and_then(|event| event.detail);
    let Some(v1::event::Detail::MessagesTrimmed(trimmed)) = detail else {
        panic!("a trim was expected, not {detail:?}");
    };
    let trim = trimmed.trim.unwrap_or_default();
    let seqs = &trim.seq_ranges[0];
    println!(
        "left the window: {} to {}, by {}",
        seqs.first_seq, seqs.last_seq, trim.stage
    );
    trims.ack().await
}

/// Goes on after the last trim that was acknowledged.
async fn resume(client: &Client) -> Result<(), Error> {
    println!("== Resumed");
    let mut trims = watch_trims(client).await?;
    show_trim(&mut trims).await?;
    turn(client, 5, "Porto").await?;
    show_trim(&mut trims).await?;
    let session_id = "trip".into();
    let request = v1::ListMessagesRequest {
        session_id,
        page_size: 4,
        ..Default::default()
    };
    println!(
        "the log has {} messages",
        client.items(request).all().await?.len()
    );
    Ok(())
}

/// Remembers facts, the second in the place of the first, and finds them again.
async fn remember(client: &Client) -> Result<(), Error> {
    println!("== Memory");
    let supersede = v1::ConflictRule {
        mode: v1::ConflictMode::Supersede.into(),
        ..Default::default()
    };
    for (key, text) in [
        ("home_city", "Ada lives in Porto."),
        ("home_city", "Ada lives in Berlin."),
        ("", "Ada is allergic to peanuts."),
    ] {
        let fact = v1::Memory {
            user_id: "ada".into(),
            key: key.into(),
            text: text.into(),
            ..Default::default()
        };
        let request = v1::RememberRequest {
            memories: vec![fact],
            conflict: (!key.is_empty()).then(|| supersede.clone()),
            ..Default::default()
        };
        client.remember(request).await?;
    }
    let filter = v1::RecallFilter {
        scope: Some(visible_to("ada")),
        kinds: vec![v1::RecallKind::Memory.into()],
        ..Default::default()
    };
    let request = v1::RecallRequest {
        query: "which city is home".into(),
        page_size: 1,
        filter: Some(filter),
        ..Default::default()
    };
    for hit in client.recall(request).await?.hits {
        if let Some(v1::recall_hit::Record::Memory(memory)) = hit.record {
            println!("recalled: {}", memory.text);
        }
    }
    let long_term = v1::ContextSection {
        kind: v1::ContextSectionKind::LongTerm.into(),
        ..Default::default()
    };
    let request = v1::AssembleContextRequest {
        session_id: "trip".into(),
        query: "a dinner without peanuts".into(),
        max_tokens: 500,
        exclude_conversation: true,
        sections: vec![long_term],
        ..Default::default()
    };
    println!("{}", client.assemble_context(request).await?.text);
    Ok(())
}

/// Keeps values and lists them.
async fn records(client: &Client) -> Result<(), Error> {
    println!("== Records");
    let path = vec!["checkpoints".to_owned(), "trip".to_owned()];
    for step in ["one", "two", "three"] {
        let record = v1::NamedRecord {
            path: path.clone(),
            key: step.into(),
            value: format!("step {step}").into_bytes(),
            owner: Some(v1::MemoryScope {
                user_id: Some("ada".into()),
                ..Default::default()
            }),
            ..Default::default()
        };
        let record = Some(record);
        client
            .put_record(v1::PutRecordRequest {
                record,
                ..Default::default()
            })
            .await?;
    }
    let request = v1::ListRecordsRequest {
        range: Some(v1::RecordRange {
            path,
            ..Default::default()
        }),
        include_values: true,
        page_size: 2,
        ..Default::default()
    };
    let mut records = client.items(request);
    while let Some(record) = records.next().await? {
        println!("{}: {}", record.key, String::from_utf8_lossy(&record.value));
    }
    Ok(())
}

/// Shows what errors tell, and that a request id stores once.
async fn refusals(client: &Client) -> Result<(), Error> {
    println!("== Errors");
    let append = |text: &str| v1::AppendMessagesRequest {
        session_id: "trip".into(),
        messages: vec![user(text)],
        ..Default::default()
    };
    let expected_last_seq = Some(1);
    let late = v1::AppendMessagesRequest {
        expected_last_seq,
        ..append("Too late")
    };
    let late = client.append_messages(late).await.expect_err("an old seq");
    println!(
        "{}: the newest seq is {}",
        late.reason, late.metadata["last_seq"]
    );
    let message = v1::Message {
        text: "Whose?".into(),
        ..Default::default()
    };
    let whose = client.append("trip", [message]).await.expect_err("no role");
    println!("{}: {}", whose.reason, whose.violations[0].field);
    let once = v1::AppendMessagesRequest {
        request_id: "thanks".into(),
        ..append("Thank you.")
    };
    let first = client.append_messages(once.clone()).await?.last_seq;
    let again = client.append_messages(once).await?.last_seq;
    println!("sent twice, stored once: seq {first} and seq {again}");
    Ok(())
}

/// Erases the user with everything that is theirs.
async fn erase(client: &Client) -> Result<(), Error> {
    println!("== Erasure");
    let subject = v1::ErasureSubject {
        subject: Some(v1::erasure_subject::Subject::UserId("ada".into())),
    };
    let request = v1::EraseSubjectRequest {
        subject: Some(subject),
        ..Default::default()
    };
    let mut receipt = client
        .erase_subject(request)
        .await?
        .erasure
        .unwrap_or_default();
    while receipt.state() == v1::ErasureState::Running {
        sleep(Duration::from_millis(20)).await;
        let erasure_id = receipt.erasure_id;
        let request = v1::GetErasureRequest {
            erasure_id,
            ..Default::default()
        };
        receipt = client
            .get_erasure(request)
            .await?
            .erasure
            .unwrap_or_default();
    }
    for erased in &receipt.erased {
        println!(
            "erased {}: {}",
            small(erased.kind().as_str_name(), "ERASED_KIND_"),
            erased.count
        );
    }
    let gone = client.window("trip").await.expect_err("nothing");
    if gone.has_reason(v1::ErrorReason::SessionNotFound) {
        println!("nothing is left of the session");
    }
    Ok(())
}
