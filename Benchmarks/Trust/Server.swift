import Foundation
import Glibc
import Measuring

/// nginx with TLS on loopback, which ends with this value.
final class Server {
  let url: String
  /// The system's root certificates and the one that signs the server's, as a program has them.
  let roots: String
  let certificate = Server.fixtures + "/localhost.pem"
  private let process = Process()
  private let folder: URL

  private static let fixtures =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Fixtures/Certificates"

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "lupine-trust-measure-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let port = try Self.freePort()
    url = "https://localhost:\(port)"
    roots = folder.appending(path: "roots.pem").path()
    let bundle = try Data(contentsOf: URL(filePath: "/etc/ssl/certs/ca-certificates.crt"))
    try (bundle + Data(contentsOf: URL(filePath: Self.fixtures + "/root.pem"))).write(to: URL(filePath: roots))
    let file = folder.appending(path: "nginx.conf")
    try Data(Self.configuration(folder.path(), port).utf8).write(to: file)
    // Whatever happens to this program, nginx does not stay for longer than this.
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    let core = ProcessInfo.processInfo.environment["LUPINE_SERVER_CORE"]
    process.arguments =
      ["1800"] + (core.map { ["taskset", "-c", $0] } ?? []) + [
        "/usr/sbin/nginx", "-p", folder.path(), "-e", folder.appending(path: "error.log").path(), "-c",
        file.path(),
      ]
    try process.run()
    try Self.wait(for: port, process)
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func configuration(_ folder: String, _ port: UInt16) -> String {
    """
    daemon off; worker_processes 1; pid "\(folder)/pid"; \(getuid() == 0 ? "user root;" : "")
    events { worker_connections 1000; }
    http {
      access_log off; keepalive_timeout 300; keepalive_requests 100000000;
      client_body_temp_path "\(folder)/1"; proxy_temp_path "\(folder)/2"; fastcgi_temp_path "\(folder)/3";
      uwsgi_temp_path "\(folder)/4"; scgi_temp_path "\(folder)/5";
      server {
        listen 127.0.0.1:\(port) ssl;
        ssl_certificate "\(fixtures)/localhost.pem"; ssl_certificate_key "\(fixtures)/localhost.key.pem";
        ssl_protocols TLSv1.3; ssl_session_cache off; ssl_session_tickets off;
        location = /reused { return 200 "0123456789"; }
        location = /fresh { keepalive_timeout 0; return 200 "0123456789"; }
      }
    }
    """
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func with<Value>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Value
  ) -> Value {
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
    }
  }

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = address(0)
    guard with(&address, { bind(descriptor, $0, $1) }) == 0, with(&address, { getsockname(descriptor, $0, &$1) }) == 0
    else { throw MeasureError("there is no free port: errno \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func wait(for port: UInt16, _ process: Process) throws {
    for _ in 0..<500 where process.isRunning {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = address(port)
      if with(&address, { connect(descriptor, $0, $1) }) == 0 { return }
      usleep(10_000)
    }
    throw MeasureError("nginx does not start; is it installed? Tests/Peers/install brings it")
  }
}
