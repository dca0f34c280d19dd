//! Clients that have the token and send invalid messages: the server continues to work and keeps none of their data.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, panic, thread};

use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{Bases, Curve, Group, Instance};
use proofmill_op::{
    AnyRequest, Data, Token, coprocessor, ecdsa_verify, equihash_solve, equihash_verify, keccak256,
    msm, ntt, poseidon, vdf,
};
use proofmill_testkit::random::Random;

use super::{Limits, Running, Server};
use crate::channel::{self, Receiver, Sender};
use crate::message::{self, ClientMessage, Header, MAX_RESPONSE_HEAD, Place, Reply};

const PATIENCE: Duration = Duration::from_secs(120);

fn token() -> Token {
    Token::new("correct-horse-battery").unwrap()
}

fn server() -> Running {
    let limits = Limits {
        requests: 8,
        request_bytes: 1 << 16,
        memory_bytes: 1 << 20,
        timeout: PATIENCE,
        ..Limits::default()
    };
    let device = Arc::new(CpuDevice::new(Some(1)).unwrap());
    Server::bind("127.0.0.1:0".parse().unwrap(), device, Some(token()), limits)
        .unwrap()
        .start()
        .unwrap()
}

fn connect(server: &Running) -> (Sender, Receiver) {
    let stream = std::net::TcpStream::connect(server.address()).unwrap();
    channel::connect(stream, Some(&token()), PATIENCE).unwrap()
}

fn send(to: &mut Sender, ticket: u64, ask: &ClientMessage, bulk: &[u8]) -> io::Result<()> {
    let head = postcard::to_stdvec(ask).unwrap();
    message::send(to, ticket, &head, std::iter::once(bulk))
}

/// One small request of each kind, with the bytes that belong to it.
fn requests() -> Vec<(AnyRequest, Vec<Vec<u8>>)> {
    let one = |request: AnyRequest, bytes: usize| (request, vec![vec![1; bytes]]);
    let nothing = || Vec::<u8>::new();
    let bn254 = Instance::new(Curve::Bn254, Group::G1);
    let params = equihash_verify::Params::new(48, 5).unwrap();
    let headers =
        equihash_verify::Request::new(params, equihash_verify::Network::Regtest, nothing());
    let mut generator = vec![0; 64];
    (generator[0], generator[32]) = (1, 2);
    let bases = || Bases::new(bn254, nothing()).checked(msm::Check::Subgroup);
    let msm = msm::Request::new(bases(), nothing());
    let plan = msm::PlanRequest { instance: bn254, points: 9, resident: true, max_bytes: 1 };
    let lists = [(); 3].map(|()| Data::from(nothing()));
    let quotient = ntt::Quotient::new(ntt::Field::Goldilocks, lists, vec![3; 8]);
    vec![
        one(ecdsa_verify::Request::new(nothing()).into(), 320),
        one(headers.into(), params.header_bytes()),
        (plan.into(), vec![]),
        (bases().into(), vec![generator.clone()]),
        (msm.into(), vec![generator, vec![3; 32]]),
        one(ntt::Request::forward(ntt::Field::Goldilocks, nothing()).into(), 64),
        (quotient.into(), vec![vec![1; 64]; 3]),
        one(poseidon::Request::new(2, nothing()).into(), 128),
        one(poseidon::Layers::new(2, 2, nothing()).into(), 128),
        one(keccak256::Request::new(8, nothing()).into(), 128),
        one(equihash_solve::Request::new(params, nothing()).into(), 140),
        (vdf::Request::new([35], [3], 10).into(), vec![]),
        (coprocessor::Request::new(nothing(), nothing(), 0).into(), vec![vec![0; 16], vec![0; 96]]),
    ]
}

/// Sends a request that is modified or truncated: in the head, in the numbers of the header, or in the bulk.
fn send_modified(random: &mut Random, to: &mut Sender) -> io::Result<()> {
    let (request, parts) = requests().swap_remove(random.below(13) as usize);
    let bulk = parts.concat();
    let mut places: Vec<_> = parts.iter().map(|part| Place::Bulk(part.len() as u64)).collect();
    if random.below(8) == 0 {
        places.push(Place::Resident(random.below(3)));
    }
    let ask = match random.below(12) {
        0 => ClientMessage::Load,
        1 => ClientMessage::Cancel,
        2 => ClientMessage::Release(random.below(3)),
        3 => ClientMessage::Metrics,
        _ => ClientMessage::Request {
            request: Box::new(request),
            places,
            progress: random.below(2) == 0,
        },
    };
    let carries = matches!(ask, ClientMessage::Request { .. } | ClientMessage::Load);
    let mut head = postcard::to_stdvec(&ask).unwrap();
    for _ in 0..random.below(4) {
        let at = random.below(head.len() as u64) as usize;
        match random.below(4) {
            0 => head[at] ^= 1 << random.below(8),
            1 => head[at] = random.bits() as u8,
            2 => head.insert(at, 0xff),
            _ => drop(head.remove(at)),
        }
        if head.is_empty() {
            break;
        }
    }
    let bulk = if carries { &bulk[..] } else { &[] };
    let bulk = if random.below(10) == 0 { &bulk[bulk.len() / 2..] } else { bulk };
    message::send(to, random.below(5), &head, std::iter::once(bulk))
}

/// Waits until a condition is true.
fn soon(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn no_message_of_a_client_with_the_token_stops_the_server() {
    let panics = Arc::new(AtomicUsize::new(0));
    let (count, usual) = (panics.clone(), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        count.fetch_add(1, Ordering::SeqCst);
        usual(info);
    }));
    let server = server();
    let mut random = Random::new(30);
    for turn in 0..400 {
        let (mut to, _from) = connect(&server);
        // Some begin with another message than a client.
        if turn % 20 > 0 {
            send(&mut to, 0, &ClientMessage::Begin { silence: 1000 }, &[]).unwrap();
        }
        for _ in 0..random.below(12) {
            if send_modified(&mut random, &mut to).is_err() {
                break; // the server ended it
            }
        }
        if turn % 5 == 0 {
            let bytes = random.below(200) as usize;
            let _ = to.send(&random.bytes(bytes));
        }
    }
    let (mut to, mut from) = connect(&server);
    send(&mut to, 0, &ClientMessage::Begin { silence: 1000 }, &[]).unwrap();
    let Reply::Welcome { .. } = message::first(&mut from).unwrap() else { panic!("no welcome") };
    send(&mut to, 7, &ClientMessage::Metrics, &[]).unwrap();
    let header = Header::read(&mut from).unwrap();
    let head = header.read_head(MAX_RESPONSE_HEAD, &mut from).unwrap();
    let Ok(Reply::Metrics(_)) = message::decode(&head) else { panic!("another answer") };
    assert_eq!(header.ticket, 7);
    soon("their requests are cancelled", || server.held_bytes() == 0);
    let (clients, requests) = server.served();
    assert!(clients > 300 && requests > 100, "{clients} clients, {requests} requests");
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}
