import CNetlink
import Glibc
import Testing

@testable import LupineReachability

@Suite struct KernelViewTests {
  @Test func `nothing is reported before the dump of every table is complete`() {
    var kernel = KernelDouble()
    kernel.run()
    #expect(kernel.dumped == [.links, .addresses, .routes])
    #expect(kernel.paths.map(\.status) == [.reachable(.ethernetOrWiFi)])
    #expect(kernel.paths.first?.interfaces.map(\.name) == ["eth0"])
  }

  @Test func `a link that goes down and comes up is reported once each way`() {
    var kernel = KernelDouble()
    kernel.run()
    let routes = kernel.routes
    kernel.routes = []
    kernel.notify(RTM_NEWLINK, Datagram.link(1, "eth0", isUp: false, isRunning: false))
    kernel.notify(RTM_NEWLINK, Datagram.link(1, "eth0"))
    kernel.routes = routes
    kernel.notify(RTM_NEWROUTE, routes[0])
    #expect(
      kernel.paths.map(\.status).removingRepeats == [
        .reachable(.ethernetOrWiFi), .notReachable, .reachable(.ethernetOrWiFi),
      ])
  }

  @Test func `a notification without a change is not reported`() {
    var kernel = KernelDouble()
    kernel.run()
    kernel.notify(RTM_NEWLINK, Datagram.link(1, "eth0"))
    kernel.notify(RTM_NEWADDR, Datagram.address(1, .sample))
    kernel.notify(RTM_NEWROUTE, Datagram.route(interface: 1))
    #expect(kernel.paths.count == 1)
  }

  @Test func `a signal that is lost is a network that is lost`() {
    var kernel = KernelDouble()
    kernel.run()
    kernel.notify(RTM_NEWLINK, Datagram.link(1, "eth0", isRunning: false))
    #expect(kernel.paths.last?.status == .notReachable)
    #expect(kernel.paths.last?.interfaces.map(\.isRunning) == [false])
  }

  @Test func `routes that vanish with their address are asked for again`() {
    var kernel = KernelDouble()
    kernel.run()
    kernel.forgetDumps()
    kernel.routes = []
    kernel.notify(RTM_DELADDR, Datagram.address(1, .sample))
    #expect(kernel.dumped == [.routes])
    #expect(kernel.paths.last?.status == .notReachable)
  }

  @Test func `a notice about a route that is no default asks nothing`() {
    var kernel = KernelDouble()
    kernel.run()
    kernel.forgetDumps()
    kernel.notify(RTM_NEWROUTE, Datagram.route(interface: 1, length: 24))
    #expect(kernel.dumped.isEmpty)
  }

  @Test func `a table that changed during its dump is dumped again`() {
    var kernel = KernelDouble()
    kernel.run(flags: NLM_F_MULTI | NLM_F_DUMP_INTR)
    #expect(kernel.dumped == [.links, .addresses, .routes, .links])
  }

  @Test func `a table that never holds still is believed after some time`() {
    var kernel = KernelDouble()
    for _ in 0..<40 {
      kernel.run(flags: NLM_F_MULTI | NLM_F_DUMP_INTR)
      kernel.view.overrun()
    }
    #expect(kernel.dumped.count < 40 * 12)
    #expect(kernel.paths.last?.status == .reachable(.ethernetOrWiFi))
  }

  @Test func `after lost messages every table is dumped again`() {
    var kernel = KernelDouble()
    kernel.run()
    kernel.forgetDumps()
    kernel.links = [Datagram.link(1, "eth0"), Datagram.link(2, "eth1")]
    kernel.view.overrun()
    kernel.run()
    #expect(kernel.dumped == [.links, .addresses, .routes])
    #expect(kernel.paths.last?.interfaces.map(\.name) == ["eth0", "eth1"])
  }

  @Test func `messages lost during a dump do not end it early`() {
    var kernel = KernelDouble()
    kernel.view.overrun()
    kernel.run()
    #expect(kernel.dumped == [.links, .addresses, .routes])
    #expect(kernel.failures.isEmpty)
  }

  @Test func `a notice with another program's number is no answer`() {
    var kernel = KernelDouble()
    guard case .send(_, let sequence)? = kernel.view.settle().first else {
      Issue.record("no question")
      return
    }
    kernel.receive(Datagram().message(Int(NLMSG_DONE), sequence: sequence, port: 8, Datagram.number(0)))
    #expect(kernel.view.settle().isEmpty)
  }

  @Test func `a message with another sequence number is ignored`() {
    var kernel = KernelDouble()
    _ = kernel.view.settle()
    kernel.receive(Datagram().message(Int(NLMSG_DONE), sequence: 99, port: 7, Datagram.number(0)))
    #expect(kernel.view.settle().isEmpty)
  }

  @Test func `a refusal of the kernel's is a failure with its reason`() {
    var kernel = KernelDouble()
    guard case .send(_, let sequence)? = kernel.view.settle().first else {
      Issue.record("no question")
      return
    }
    kernel.receive(Datagram().message(Int(NLMSG_ERROR), sequence: sequence, port: 7, Datagram.number(-EPERM)))
    guard case .failed(let failure)? = kernel.view.settle().first else {
      Issue.record("no failure")
      return
    }
    #expect(failure.message.contains("Operation not permitted"))
  }

  @Test(arguments: [ENOBUFS, EBUSY])
  func `a table is requested again after a transient error of the kernel`(_ code: Int32) {
    var kernel = KernelDouble()
    for _ in 0..<5 {
      guard case .send(_, let sequence)? = kernel.view.settle().first else {
        Issue.record("no question")
        return
      }
      kernel.receive(Datagram().message(Int(NLMSG_ERROR), sequence: sequence, port: 7, Datagram.number(-code)))
    }
    kernel.run()
    #expect(kernel.failures.isEmpty)
    #expect(kernel.paths.map(\.status) == [.reachable(.ethernetOrWiFi)])
  }

  @Test func `a table that the kernel can never dump is a failure with its reason`() {
    var kernel = KernelDouble()
    var failures: [NetlinkFailure] = []
    while failures.isEmpty, let output = kernel.view.settle().first {
      switch output {
      case .send(_, let sequence):
        kernel.receive(Datagram().message(Int(NLMSG_ERROR), sequence: sequence, port: 7, Datagram.number(-ENOBUFS)))
      case .failed(let failure): failures.append(failure)
      default: Issue.record("\(output)")
      }
    }
    #expect(failures.first?.message.contains("No buffer space") == true)
  }

  @Test func `a table is requested again when its answer is lost`() {
    var kernel = KernelDouble()
    _ = kernel.view.settle()
    #expect(kernel.view.isUnanswered)
    kernel.view.drained()
    kernel.run()
    #expect(!kernel.view.isUnanswered)
    #expect(kernel.paths.map(\.status) == [.reachable(.ethernetOrWiFi)])
  }

  @Test func `a host is reachable by the route that the kernel names`() {
    var kernel = KernelDouble()
    kernel.routes = []
    kernel.answer = { Datagram().message(RTM_NEWROUTE, sequence: $0, port: 7, Datagram.route(interface: 1)) }
    kernel.view.setHost(1, [.sample])
    kernel.run()
    #expect(kernel.paths.map(\.status) == [.notReachable])
    #expect(kernel.hostStatuses == [.reachable(.ethernetOrWiFi)])
  }

  @Test func `a host without a route is asked about again at each change`() {
    var kernel = KernelDouble()
    kernel.answer = { Datagram().message(Int(NLMSG_ERROR), sequence: $0, port: 7, Datagram.number(-ENETUNREACH)) }
    kernel.view.setHost(1, [.sample, .sample6])
    kernel.run()
    #expect(kernel.hostStatuses == [.notReachable])
    kernel.answer = { Datagram().message(RTM_NEWROUTE, sequence: $0, port: 7, Datagram.route(interface: 1)) }
    kernel.notify(RTM_NEWROUTE, Datagram.route(interface: 1, length: 24))
    #expect(kernel.hostStatuses == [.notReachable, .reachable(.ethernetOrWiFi)])
  }

  @Test func `a name without an address is unknown with the reason, and keeps addresses it had`() {
    var kernel = KernelDouble()
    kernel.answer = { Datagram().message(RTM_NEWROUTE, sequence: $0, port: 7, Datagram.route(interface: 1)) }
    kernel.view.failHost(1, "no such name")
    kernel.run()
    #expect(kernel.hostStatuses == [.unknown(.hostNotResolved("no such name"))])
    kernel.view.setHost(1, [.sample])
    kernel.run()
    kernel.view.failHost(1, "no such name")
    kernel.run()
    #expect(kernel.hostStatuses.last == .reachable(.ethernetOrWiFi))
  }
}

extension Array where Element: Equatable {
  /// The elements without those that equal their predecessor.
  var removingRepeats: [Element] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
}
