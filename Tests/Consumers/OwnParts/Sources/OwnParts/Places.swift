import Foundation
import Lupine
import LupineMock

struct OwnPlace: URLConvertible {
  func asURL(relativeTo base: HTTPURL?) throws -> HTTPURL { try HTTPURL("https://example.com/flowers") }
}

struct OwnRoute: RequestConvertible {
  func asRequest() throws -> OutgoingRequest { try OutgoingRequest(OwnPlace()) }
}

struct OwnMatcher: RequestMatcher {
  var expectation: String { "any request" }

  func difference(from request: RequestSnapshot) -> String? { nil }
}

/// Forwards every exchange to a mock.
struct OwnTransport: WrappingTransport {
  let mock: MockTransport

  var base: any Transport { mock }

  func connectionPool() async -> ConnectionPoolSnapshot? { ConnectionPoolSnapshot() }
}

struct OwnForm: MultipartConvertible {
  var multipart: Multipart {
    var multipart = Multipart()
    multipart.append("lupine")
    return multipart
  }
}

struct OwnNetwork: NetworkPathSource {
  func currentPath(to host: String?) -> NetworkPath { .offline }

  func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    onChange(.offline)
    return NetworkPathWatch {}
  }
}

/// A clock of the program, which forwards to an `ImmediateClock`.
struct OwnClock: TimerClock, DatedClock {
  private let clock = ImmediateClock()

  var now: VirtualInstant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }
  var date: Date { clock.date }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    clock.schedule(at: deadline, action)
  }
}
