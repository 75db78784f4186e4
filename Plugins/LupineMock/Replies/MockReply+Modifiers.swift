public import HTTPTypes
import LupineCore
public import LupineDoubles
public import LupineFoundation

extension MockReply {
  /// Returns the reply with an additional field; existing fields with the same name are kept.
  ///
  /// A `Content-Type` replaces the old one.
  public func field(_ name: HTTPField.Name, _ value: String) -> MockReply {
    changing { part in
      if name == .contentType {
        part.fields[name] = value
      } else {
        part.fields.append(HTTPField(name: name, value: value))
      }
    }
  }

  /// Returns the reply with an additional field whose name is a text, such as `field("Link", "<b>; rel=next")`.
  ///
  /// If the text is no token (RFC 9110 section 5.6.2), the request fails with kind `invalidRequest`, and the message names
  /// the field.
  public func field(_ name: String, _ value: String) -> MockReply {
    if let name = HTTPField.Name(name) { return field(name, value) }
    let shown = RequestHeader.Name(name)
    return changing {
      $0.failure = LupineError(
        .invalidRequest, "The mock's reply has a field “\(shown)” whose name is no token; use letters, digits and “-”.")
    }
  }

  /// Returns the reply with another status and the same content.
  ///
  /// For example, an error with a body: `.json(problem).status(.notFound)`.
  public func status(_ status: HTTPResponse.Status) -> MockReply { changing { $0.status = status } }

  /// Returns the reply with these fields added.
  public func fields(_ fields: HTTPFields) -> MockReply {
    changing { part in part.fields.append(contentsOf: fields) }
  }

  /// Returns the reply with its head delayed by this duration, on the session's clock.
  public func delay(_ duration: Duration) -> MockReply { changing { $0.delay = duration } }

  /// Returns the reply with these chunks as its body and without `Content-Length`.
  ///
  /// - Parameter interval: the time between two chunks, on the session's clock; the first chunk has no delay. Default:
  ///   none.
  public func chunked(_ chunks: [Data], every interval: Duration = .zero) -> MockReply {
    changing { $0.content = .chunks(chunks, every: interval) }
  }

  /// Returns the reply with these texts as the chunks of its body; see `chunked(_:every:)`.
  public func chunked(_ chunks: [String], every interval: Duration = .zero) -> MockReply {
    chunked(chunks.map { Data($0.utf8) }, every: interval)
  }

  /// Returns the reply with trailers (RFC 9110 section 6.5).
  public func trailers(_ trailers: HTTPFields) -> MockReply { changing { $0.trailers = trailers } }

  /// Returns the reply with 100 Continue for a request whose body waits for it (`expectsContinue`), whatever the
  /// reply's status.
  ///
  /// Without this call, some replies replace 100 Continue, and none of the body is sent: those with status 307, 308,
  /// 4xx or 5xx, and those whose fault or failure leaves no head. Any other reply comes after 100 and the body. A body
  /// waits for one second on the session's clock and is then sent without 100 (RFC 9110 section 10.1.1), so it is also
  /// sent if such a reply has a longer `delay`. A closure is called after 100 and the body, unless its stub's `reading`
  /// takes none of the body.
  ///
  /// - Parameter delay: the time before 100, on the session's clock; after more than a second, 100 comes when the body
  ///   has been sent; `nil` never sends it, like a server without support for it. Default: no delay.
  public func continues(after delay: Duration? = .zero) -> MockReply {
    changing { $0.continueReaction = .sendContinue(after: delay) }
  }

  /// Returns the reply with these fields in the proxy's response to CONNECT, for example the next nonce.
  ///
  /// The response to CONNECT is reported for an `https` URL behind an HTTP proxy; without this call it has no fields.
  public func tunnelFields(_ fields: HTTPFields) -> MockReply { changing { $0.tunnelFields = fields } }

  /// Returns the reply with interim (1xx) responses before its head.
  ///
  /// They also precede the faults `resetBeforeHead` and `stallBeforeHead`.
  public func informational(_ responses: [HTTPResponse]) -> MockReply {
    changing { $0.informational = responses }
  }
}

extension MockReply {
  /// A fault in place of a response; a fault in the body follows a head with status 200.
  public static func fault(_ fault: NetworkFault) -> MockReply { MockReply.status(.ok).fault(fault) }

  /// No response: nothing arrives until a timeout or a cancellation ends the request.
  public static var stall: MockReply { .fault(.stallBeforeHead) }

  /// A connection that is reset before the head arrives.
  public static var reset: MockReply { .fault(.resetBeforeHead) }

  /// Returns the reply with a fault; the last one that was set counts.
  public func fault(_ fault: NetworkFault) -> MockReply { changing { $0.fault = fault } }

  /// Returns the reply so that it stalls after `count` bytes of its body.
  public func stall(afterBytes count: Int) -> MockReply { fault(.stall(afterBytes: count)) }

  /// Returns the reply so that its connection is reset after `count` bytes of its body.
  public func reset(afterBytes count: Int) -> MockReply { fault(.reset(afterBytes: count)) }

  /// Returns the reply so that its body ends after `count` bytes, fewer than `Content-Length` states.
  public func truncated(afterBytes count: Int) -> MockReply { fault(.truncated(afterBytes: count)) }
}
