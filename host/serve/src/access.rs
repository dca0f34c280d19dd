//! Access control: by the bearer token, or without one by the host names of this machine.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use proofmill::Token;
use subtle::ConstantTimeEq as _;

use crate::body;
use crate::metrics::Rejection;
use crate::response::{error, with};
use crate::service::ProofService;

/// Paths that need no token: they reveal no figures.
const PUBLIC_PATHS: [&str; 3] = ["/", "/healthz", "/readyz"];

/// The reason why a request is not authorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessDenied {
    Token,
    Host,
    Origin,
}

impl AccessDenied {
    fn response(self) -> Response {
        match self {
            Self::Token => {
                let response = error(StatusCode::UNAUTHORIZED, "missing or invalid bearer token");
                with(response, header::WWW_AUTHENTICATE, "Bearer")
            }
            Self::Host => error(StatusCode::FORBIDDEN, "host not allowed without a token"),
            Self::Origin => error(StatusCode::FORBIDDEN, "origin not allowed without a token"),
        }
    }
}

/// Rejects a request that may not use the service.
pub async fn authorize(
    State(service): State<Arc<ProofService>>,
    request: Request,
    next: Next,
) -> Response {
    let access = match &service.settings.token {
        Some(token) => check_token(token, request.uri().path(), request.headers()),
        None => check_names(request.headers()),
    };
    let Err(denied) = access else { return next.run(request).await };
    service.metrics.rejected(Rejection::Unauthorized);
    body::drain_request(request, &service.settings.limits).await;
    denied.response()
}

fn check_token(token: &Token, path: &str, headers: &HeaderMap) -> Result<(), AccessDenied> {
    let shown = headers.get(header::AUTHORIZATION);
    let is_allowed =
        PUBLIC_PATHS.contains(&path) || shown.is_some_and(|it| shows(it.as_bytes(), token));
    if is_allowed { Ok(()) } else { Err(AccessDenied::Token) }
}

/// Returns whether a value of the header `Authorization` shows this token. Tokens are compared in constant time.
fn shows(header: &[u8], token: &Token) -> bool {
    let Some((scheme, shown)) = header.split_at_checked(7) else { return false };
    scheme.eq_ignore_ascii_case(b"bearer ") && bool::from(token.as_bytes().ct_eq(shown))
}

/// Protects against DNS rebinding: a web page whose name was made to resolve to this machine sends that name.
fn check_names(headers: &HeaderMap) -> Result<(), AccessDenied> {
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    if host.is_some_and(|host| !str::from_utf8(host).is_ok_and(is_loopback)) {
        return Err(AccessDenied::Host);
    }
    let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
    if origin.is_some_and(|origin| host.is_none() || origin.strip_prefix(b"http://") != host) {
        return Err(AccessDenied::Origin);
    }
    Ok(())
}

/// Returns whether the value of `Host` is a loopback name or address.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_allowed_without_a_token() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:80", "[::1]"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "example.org:80",
            "192.0.2.1",
            "[2001:db8::1]:80",
            "127.0.0.1.example.org",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn only_the_whole_token_matches() {
        let token = Token::new("0123456789abcdef").unwrap();
        for (header, matches) in [
            ("Bearer 0123456789abcdef", true),
            ("bearer 0123456789abcdef", true),
            ("Bearer 0123456789abcdeF", false),
            ("Bearer 0123456789abcde", false),
            ("Bearer 0123456789abcdef0", false),
            ("Basic  0123456789abcdef", false),
            ("0123456789abcdef", false),
            ("Bearer ", false),
            ("", false),
        ] {
            assert_eq!(shows(header.as_bytes(), &token), matches, "{header}");
        }
    }

    #[test]
    fn an_origin_must_be_the_host() {
        let check = |host: &str, origin: &str| {
            let header = |value: &str| HeaderValue::from_bytes(value.as_bytes()).unwrap();
            let headers = [(header::HOST, header(host)), (header::ORIGIN, header(origin))];
            check_names(&headers.into_iter().collect())
        };
        assert_eq!(check("localhost:8080", "http://localhost:8080"), Ok(()));
        for origin in ["http://localhost:8081", "http://example.org", "null", "localhost:8080"] {
            assert_eq!(check("localhost:8080", origin), Err(AccessDenied::Origin), "{origin}");
        }
        assert_eq!(check("lócalhost", "http://lócalhost"), Err(AccessDenied::Host));
    }
}
