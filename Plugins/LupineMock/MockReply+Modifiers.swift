public import FoundationEssentials
public import HTTPTypes
import LupineCore

extension MockReply {
  /// Returns the reply with one field more; one of the same name stays.
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

  /// Returns the reply with another status and the same content, as an error that has a page:
  /// `.json(problem).status(.notFound)`.
  public func status(_ status: HTTPResponse.Status) -> MockReply { changing { $0.status = status } }

  /// Returns the reply with these fields added.
  public func fields(_ fields: HTTPFields) -> MockReply {
    changing { part in part.fields.append(contentsOf: fields) }
  }

  /// Returns the reply with its head held back for this long, on the session's clock.
  public func delay(_ duration: Duration) -> MockReply { changing { $0.delay = duration } }

  /// Returns the reply with these chunks as its body and without `Content-Length`.
  ///
  /// - Parameter interval: the time between two chunks, on the session's clock; the first comes at once. Default: none.
  public func chunked(_ chunks: [Data], every interval: Duration = .zero) -> MockReply {
    changing { $0.content = .chunks(chunks, every: interval) }
  }

  /// Returns the reply with these texts as the chunks of its body; see `chunked(_:every:)`.
  public func chunked(_ chunks: [String], every interval: Duration = .zero) -> MockReply {
    chunked(chunks.map { Data($0.utf8) }, every: interval)
  }

  /// Returns the reply with trailers (RFC 9110 section 6.5).
  public func trailers(_ trailers: HTTPFields) -> MockReply { changing { $0.trailers = trailers } }

  /// Returns the reply with 100 Continue for a request whose body waits for it (`expectsContinue`), whatever its status.
  ///
  /// Without this a reply of status 307, 308, 4xx or 5xx, and one whose fault or failure leaves no head, is the answer in
  /// place of 100, so that nothing of the body is sent; any other comes after 100 and the body. A body waits for a second
  /// of the session's clock and is then sent without a word (RFC 9110 section 10.1.1), so a refusal whose `delay` is longer
  /// has it after all. A closure is asked after 100 and the body, unless its stub's `reading` says that it takes none.
  ///
  /// - Parameter delay: how long 100 takes, on the session's clock; after more than a second it comes when the body has
  ///   been sent; `nil` never sends it, as a server that knows nothing of it. Default: at once.
  public func continues(after delay: Duration? = .zero) -> MockReply {
    changing { $0.word = .permission(after: delay) }
  }

  /// Returns the reply with these fields in the proxy's answer to CONNECT, as of one that names its next nonce.
  ///
  /// It is told where an `https` URL is reached through an HTTP proxy; without these fields it has none.
  public func tunnelFields(_ fields: HTTPFields) -> MockReply { changing { $0.tunnelFields = fields } }

  /// Returns the reply with interim (1xx) responses before its head.
  public func informational(_ responses: [HTTPResponse]) -> MockReply {
    changing { $0.informational = responses }
  }
}
