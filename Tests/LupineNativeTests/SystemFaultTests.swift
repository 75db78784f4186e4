import Glibc
import LupineFixtures
import LupineTesting
import Testing

/// Each system call of the native transport fails once, in a process of its own, with each error of its manual page.
///
/// The request of that moment ends, with a response or an error, and the next one succeeds; no descriptor is left.
@Suite(.timeLimit(.minutes(2))) struct SystemFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let call: String
    var errors: [Int32]
    /// Whether each request starts a transport, which makes the call only at its start.
    var isAtStart = false
    /// Whether the request may need its timeout.
    var isHurried = false
    /// Whether the name is looked up again before the call.
    var needsLookup = false
    /// Whether the request succeeds, because the call is not necessary or is repeated; `nil` for either.
    var succeeds: Bool? = false

    var testDescription: String { isAtStart ? "\(call) at the start" : call }
  }

  // EAI_ADDRFAMILY and EAI_NODATA, which Swift does not import.
  private static let (noAddressOfFamily, noData) = (Int32(-9), Int32(-5))

  static let faults = [
    Fault(call: "socket", errors: [EACCES, EAFNOSUPPORT, EINVAL, EMFILE, ENFILE, ENOBUFS, ENOMEM, EPROTONOSUPPORT]),
    Fault(
      call: "connect",
      errors: [
        EACCES, EPERM, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, EALREADY, EBADF, ECONNREFUSED, EFAULT,
        EINPROGRESS, EINTR, EISCONN, ENETUNREACH, ENOTSOCK, EPROTOTYPE, ETIMEDOUT,
      ]),
    Fault(
      call: "bind",
      errors: [
        EACCES, EADDRINUSE, EADDRNOTAVAIL, EBADF, EFAULT, EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR,
        ENOTSOCK, EROFS,
      ]),
    Fault(call: "setsockopt", errors: [EBADF, EFAULT, EINVAL, ENOPROTOOPT, ENOTSOCK], succeeds: true),
    Fault(call: "getsockopt", errors: [EBADF, EFAULT, EINVAL, ENOPROTOOPT, ENOTSOCK]),
    Fault(call: "getpeername", errors: [EBADF, EFAULT, EINVAL, ENOBUFS, ENOTCONN, ENOTSOCK]),
    // The session sends a request again of which nothing was sent.
    Fault(
      call: "send",
      errors: [
        EACCES, EALREADY, EBADF, ECONNRESET, EDESTADDRREQ, EFAULT, EINVAL, EISCONN, EMSGSIZE, ENOBUFS, ENOMEM,
        ENOTCONN, ENOTSOCK, EOPNOTSUPP, EPIPE, EAGAIN, EINTR,
      ], succeeds: true),
    Fault(
      call: "recv",
      errors: [EBADF, ECONNREFUSED, ECONNRESET, EFAULT, EINVAL, ENOMEM, ENOTCONN, ENOTSOCK, ETIMEDOUT]),
    Fault(call: "recv", errors: [EINTR], succeeds: true),
    // The system would report the socket again; here the idle timeout ends a request whose bytes have all arrived.
    Fault(call: "recv", errors: [EAGAIN], isHurried: true, succeeds: nil),
    Fault(call: "close", errors: [EBADF, EINTR, EIO, ENOSPC, EDQUOT], succeeds: true),
    Fault(call: "epoll_ctl", errors: [EBADF, EEXIST, EINVAL, ELOOP, ENOENT, ENOMEM, ENOSPC, EPERM]),
    Fault(call: "epoll_wait", errors: [EBADF, EFAULT, EINTR, EINVAL], succeeds: true),
    // Without EAGAIN, which means that the counter is full: that wakes the loop as well.
    Fault(
      call: "write",
      errors: [EBADF, EDESTADDRREQ, EDQUOT, EFAULT, EFBIG, EINTR, EINVAL, EIO, ENOSPC, EPERM, EPIPE],
      succeeds: true),
    Fault(
      call: "getaddrinfo",
      errors: [
        EAI_AGAIN, EAI_BADFLAGS, EAI_FAIL, EAI_FAMILY, EAI_MEMORY, EAI_NONAME, EAI_SERVICE, EAI_SOCKTYPE, EAI_SYSTEM,
        noAddressOfFamily, noData,
      ], needsLookup: true),
    Fault(call: "pthread_create", errors: [EAGAIN, EINVAL, EPERM], needsLookup: true),
    Fault(call: "epoll_create1", errors: [EINVAL, EMFILE, ENFILE, ENOMEM], isAtStart: true),
    Fault(call: "eventfd", errors: [EINVAL, EMFILE, ENFILE, ENODEV, ENOMEM], isAtStart: true),
    Fault(
      call: "epoll_ctl", errors: [EBADF, EEXIST, EINVAL, ELOOP, ENOENT, ENOMEM, ENOSPC, EPERM], isAtStart: true),
    Fault(call: "pthread_create", errors: [EAGAIN, EINVAL, EPERM], isAtStart: true),
  ]

  @Test(arguments: faults)
  func `after a failed call of the system the next request succeeds`(fault: Fault) throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let settled = fault.isAtStart ? "fresh" : "empty"
    var steps = ["get", settled, "descriptors"]
    for error in fault.errors {
      if fault.needsLookup { steps.append("advance 60") }
      if fault.isHurried { steps.append("hurry") }
      steps += ["fail \(fault.call) \(error)", "get", "failed", settled, "get", settled, "descriptors"]
    }
    let lines = try FaultSweep.run(["http://server.example:\(server.port)/"] + steps)
    try #require(lines.count >= 2 && lines[0] == "new", "\(lines)")
    let settledLines = fault.isAtStart ? [] : ["empty"]
    let descriptors = try #require(lines.first { $0.contains("descriptors") })
    var rest = lines.dropFirst(2 + settledLines.count)
    for error in fault.errors {
      let name = "\(fault.call) \(error): \(rest)"
      let outcome = rest.popFirst()
      if let succeeds = fault.succeeds { #expect((outcome == "new") == succeeds, "\(name)") }
      #expect(rest.popFirst() == "failed", "\(name)")
      let expected = settledLines + ["new"] + settledLines + [descriptors]
      #expect(Array(rest.prefix(expected.count)) == expected, "\(name)")
      rest = rest.dropFirst(expected.count)
    }
  }
  /// The first route is on the first loop, the second on the second one, and so on.
  @Test(arguments: [
    // The other loop has an idle connection.
    (["loops 2", "keep", "get"], ["new"], "1 open"),
    // The first of two other loops has no idle connection.
    (["loops 3", "keep", "get http://127.0.0.1:1/", "get"], ["connectionRefused", "new"], "1 open"),
    // No loop has one, and the call succeeds when it is made again.
    (["loops 2", "get", "empty"], ["new", "empty"], "0 open"),
    // No other loop runs.
    (["loops 2", "keep"], [], "0 open"),
  ])
  func `a loop without a descriptor gets that of another loop's idle connection`(
    before: [String], outcomes: [String], left: String
  ) throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let steps = before + ["fail socket \(EMFILE)", "get http://127.0.0.1:\(server.port)/", "failed", "empty", "open"]
    let lines = try FaultSweep.run(["http://server.example:\(server.port)/"] + steps)
    #expect(lines == outcomes + [outcomes.isEmpty ? "other" : "new", "failed", "empty", left])
  }
}
