import LupineCore
import LupineSession
import LupineFixtures
import LupineMock

/// A suite whose tests have a folder, a mock, and a session over the mock whose clock's sleeps take no time.
protocol TransferSuite {
  var bench: TransferBench { get }
}

extension TransferSuite {
  var folder: TemporaryFolder { bench.folder }
  var mock: MockTransport { bench.mock }
  var session: Session { bench.session }
}
