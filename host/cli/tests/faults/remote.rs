//! Faults between a client and a remote device, and a remote device that lies.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use proofmill_cpu::CpuDevice;
use proofmill_device::{Confirmed, Share};
use proofmill_op::{Argument, Cancel, Capability, Device, Token, ntt::Field};
use proofmill_remote::{Limits, Options, RemoteDevice, Running, Server};
use proofmill_testkit::lying::{Lie, Lying};
use proofmill_testkit::random::Random;

use crate::requests::{BN254, cpu, expected, of};
use crate::{Case, End, judge};

/// A fault at a byte of one direction of the connection.
#[derive(Clone, Copy, Debug)]
enum Fault {
    FlipsBit,
    Cuts,
    Stalls,
    Repeats,
    Omits,
}

const FAULTS: [Fault; 5] =
    [Fault::FlipsBit, Fault::Cuts, Fault::Stalls, Fault::Repeats, Fault::Omits];
/// The time-out of a client whose connection may become silent.
const SILENCE: Duration = Duration::from_millis(700);
const TOKEN: &str = "correct-horse-battery";

fn server(device: Arc<dyn Device>) -> Running {
    let token = Some(Token::new(TOKEN).unwrap());
    let address = "127.0.0.1:0".parse().unwrap();
    Server::bind(address, device, token, Limits::default()).unwrap().start().unwrap()
}

fn client(address: SocketAddr, timeout: Duration) -> proofmill_op::Result<RemoteDevice> {
    let (uri, token) = (format!("tcp://{address}"), Some(Token::new(TOKEN).unwrap()));
    RemoteDevice::open(Options { token, timeout, ..Options::new(uri, address.to_string()) })
}

/// Returns the address of a proxy for one connection, with a fault at byte `at` from the client, or to it.
fn proxy(to: SocketAddr, fault: Fault, to_client: bool, at: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (from, _) = listener.accept().unwrap();
        let to = TcpStream::connect(to).unwrap();
        let pairs = [(&from, &to, !to_client), (&to, &from, to_client)];
        for (from, to, is_faulty) in pairs.map(|(a, b, it)| (a.try_clone(), b.try_clone(), it)) {
            let (from, to) = (from.unwrap(), to.unwrap());
            thread::spawn(move || forward(from, to, is_faulty.then_some((fault, at))));
        }
    });
    address
}

/// Copies bytes until an end, and closes both.
fn forward(mut from: TcpStream, mut to: TcpStream, fault: Option<(Fault, usize)>) {
    let (mut buffer, mut passed) = ([0; 4096], 0);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = &mut buffer[..count];
        let mut times = 1;
        if let Some((fault, at)) = fault
            && (passed..passed + count).contains(&at)
        {
            match fault {
                Fault::FlipsBit => bytes[at - passed] ^= 1 << (at % 8),
                Fault::Cuts => break,
                // The other end waits for its time-out, and then closes.
                Fault::Stalls => {
                    while let Ok(1..) = from.read(&mut [0; 4096]) {}
                    break;
                }
                Fault::Repeats => times = 2,
                Fault::Omits => times = 0,
            }
        }
        passed += count;
        if (0..times).any(|_| to.write_all(bytes).is_err()) {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A fault of the connection, or a lie of the device behind it, which the client finds by confirming.
pub fn connection(random: &mut Random) -> Case {
    let capability = random
        .pick(&[
            Capability::Ntt(Field::Goldilocks),
            Capability::Msm(BN254),
            Capability::EcdsaVerify,
        ])
        .clone();
    let requests = [0; 3].map(|_| of(&capability, random));
    if random.below(4) == 0 {
        let lie = *random.pick(&[Lie::OtherData, Lie::Lost, Lie::Failed, Lie::Panics]);
        let server = server(Arc::new(Lying::new(cpu(), lie, random.below(3))));
        let device = client(server.address(), Duration::from_secs(60)).unwrap();
        let reference = CpuDevice::new(Some(1)).unwrap();
        let device = Confirmed::new(Box::new(device), reference, Share::ALL).unwrap();
        return Case::new("tcp, server", lie, in_turn(&device, &requests));
    }
    let server = server(cpu());
    let fault = *random.pick(&FAULTS);
    let (to_client, at) = (random.below(2) == 1, random.below(600) as usize);
    let address = proxy(server.address(), fault, to_client, at);
    let end = match client(address, SILENCE) {
        Ok(device) => in_turn(&device, &requests),
        // A handshake that was changed on the way proves no token.
        Err(error) if error.is_device() || error.is_about(Argument::Named("token")) => {
            Ok(End::Refused)
        }
        Err(error) => Err(format!("opening: {error}")),
    };
    // Another client is not disturbed.
    let end = end.and_then(|end| {
        let other = client(server.address(), Duration::from_secs(60)).unwrap();
        let found = other.execute_any(requests[0].clone(), &Cancel::new());
        match judge(found, &expected(&requests[0]))? {
            End::Right => Ok(end),
            _ => Err("another client was refused".into()),
        }
    });
    Case::new("tcp", fault, end)
}

/// Executes requests one after the other; refused if one is.
fn in_turn(
    device: &dyn Device,
    requests: &[proofmill_op::AnyRequest],
) -> std::result::Result<End, String> {
    let mut all = End::Right;
    for request in requests {
        let found = device.execute_any(request.clone(), &Cancel::new());
        if judge(found, &expected(request))? == End::Refused {
            all = End::Refused;
        }
    }
    Ok(all)
}
