import LupineCore
import LupineSession
import LupineFixtures
import LupineMock

/// The folder, the mock and the session of a `TransferSuite`.
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
