public import HTTPTypes
package import LupineCore
import LupineSupport
import Synchronization

/// Where the key of a request comes from.
enum IdempotencyKey: Sendable {
  /// The session makes one for each request.
  case fresh
  /// The program says it.
  case given(String)

  /// 128 random bits as a UUID of version 4, in quotes, as the field's draft writes it.
  static func make(_ random: () -> UInt64) -> String {
    let high = random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = Hexadecimal.text(high, digits: 16) + Hexadecimal.text(low, digits: 16)
    var groups: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return "\"" + groups.joined(separator: "-") + "\""
  }
}

extension Session.Builder {
  /// Adds an `Idempotency-Key` to each request of these methods that has none, the same on every attempt, so that it may
  /// be retried.
  ///
  /// For servers that know the field: one that does not does the work of a repeated request twice.
  public func idempotencyKeys(for methods: Set<HTTPRequest.Method> = [.post, .patch]) -> Self {
    changed { $0.configuration.keyedMethods = methods }
  }
}

extension SessionRequest {
  /// Adds an `Idempotency-Key`, the same on every attempt, so that the request may be retried whatever its method.
  ///
  /// - Parameter key: the field's value. Default: a UUID in quotes, from the session's source of randomness.
  @discardableResult
  public func idempotencyKey(_ key: String? = nil) -> Self {
    setting { $0.idempotencyKey = key.map { .given($0) } ?? .fresh }
  }
}

extension Pipeline {
  /// The request with its key, which is made once for all attempts.
  package func keyed(_ request: OutgoingRequest) -> OutgoingRequest {
    let key = task.state.withLock { $0.settings.idempotencyKey }
    guard key != nil || session.configuration.keyedMethods.contains(request.method), !request.hasIdempotencyKey else {
      return request
    }
    var request = request
    if case .given(let text) = key {
      request.headers[.idempotencyKey] = text
    } else {
      request.headers[.idempotencyKey] = IdempotencyKey.make(session.configuration.random)
    }
    return request
  }
}
