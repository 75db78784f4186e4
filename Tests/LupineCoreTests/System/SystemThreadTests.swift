import FoundationEssentials
import Glibc
import LupineCore
import LupineSupport
import Testing

@Suite struct SystemThreadTests {
  @Test func `it has the first 15 bytes of its name, and is waited for`() throws {
    let names = Notes<String?>()
    try SystemThread("lupine-a-name-that-is-long") {
      names.add(try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))
    }.join()
    #expect(names.all == ["lupine-a-name-t\n"])
  }

  @Test(arguments: [
    (SIGINT, true), (SIGTERM, true), (SIGCHLD, true), (SIGSEGV, false), (SIGILL, false), (SIGTRAP, false),
  ])
  func `a thread of the library blocks the program's signals, but not those of its own faults`(
    signal: Int32, isBlocked: Bool
  ) throws {
    let before = Self.isBlocked(signal)
    let seen = Notes<Bool>()
    try SystemThread("lupine-test") { seen.add(Self.isBlocked(signal)) }.join()
    #expect(seen.all == [isBlocked])
    #expect(Self.isBlocked(signal) == before)
  }

  private static func isBlocked(_ signal: Int32) -> Bool {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return sigismember(&mask, signal) == 1
  }
}
