import LupineCore
import LupineFixtures
import LupineMock

/// A suite whose tests have a folder, a mock, and a session over it on which nothing takes time.
protocol TransferSuite {
  var bench: TransferBench { get }
}

extension TransferSuite {
  var folder: TemporaryFolder { bench.folder }
  var mock: MockTransport { bench.mock }
  var session: Session { bench.session }
}

struct TransferBench {
  let folder: TemporaryFolder
  let mock = MockTransport()
  let session: Session

  init(_ change: (Session.Builder) -> Session.Builder = { $0 }) throws {
    folder = try TemporaryFolder()
    let builder = Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com")
    session = try change(builder).build()
  }
}
