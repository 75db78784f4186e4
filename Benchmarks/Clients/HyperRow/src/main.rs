//! The row of hyper, with the command line of `Row/Work.swift`: only the kind `get`.
//!
//! One thread runs the client and the tasks, which is hyper's cheapest way. Each body is collected in memory, and the status
//! is checked.

use hyper::{body, client::HttpConnector, Body, Client, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use std::{cell::Cell, env, error::Error, fs, io::BufReader, rc::Rc, time::Instant};

type Failure = Box<dyn Error>;
type Connector = HttpsConnector<HttpConnector>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = env::args().collect();
    if words.len() < 6 || words[1] != "get" {
        return Err("hyper-row get URL COUNT CONCURRENCY WARM".into());
    }
    let (url, count, concurrency, warm) =
        (words[2].parse::<Uri>()?, words[3].parse()?, words[4].parse()?, words[5].parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let client = Client::builder().build(connector()?);
        make(&client, &url, warm, concurrency).await?;
        let (processor, clock) = (processor_time(), Instant::now());
        make(&client, &url, count, concurrency).await?;
        println!(
            "{{\"requests\": {}, \"cpu\": {}, \"wall\": {}, \"peak\": {}}}",
            count,
            processor_time() - processor,
            clock.elapsed().as_secs_f64(),
            peak_memory()?
        );
        Ok(())
    })
}

/// Over TLS the server selects HTTP/2 by ALPN.
fn connector() -> Result<Connector, Failure> {
    let mut roots = rustls::RootCertStore::empty();
    if let Ok(path) = env::var("LUPINE_CA") {
        for certificate in rustls_pemfile::certs(&mut BufReader::new(fs::File::open(path)?))? {
            // The library refuses some of the system's certificates.
            let _ = roots.add(&rustls::Certificate(certificate));
        }
    }
    let tls = rustls::ClientConfig::builder()
        .with_safe_defaults()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    Ok(HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().enable_http2().wrap_connector(http))
}

async fn make(client: &Client<Connector>, url: &Uri, count: usize, concurrency: usize) -> Result<(), Failure> {
    let next = Rc::new(Cell::new(0));
    let tasks: Vec<_> = (0..concurrency)
        .map(|_| {
            let (client, url, next) = (client.clone(), url.clone(), next.clone());
            tokio::task::spawn_local(async move {
                while next.replace(next.get() + 1) < count {
                    fetch(&client, &url).await?;
                }
                Ok::<(), hyper::Error>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}

async fn fetch(client: &Client<Connector>, url: &Uri) -> Result<body::Bytes, hyper::Error> {
    let response = client.get(url.clone()).await?;
    assert!(response.status().is_success(), "status {}", response.status());
    body::to_bytes::<Body>(response.into_body()).await
}

/// The processor time of all threads in seconds, of the program and of the kernel.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The peak memory in kilobytes.
fn peak_memory() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    Ok(line.split_whitespace().next().unwrap_or("0").parse()?)
}
