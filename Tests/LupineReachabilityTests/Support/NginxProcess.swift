import Glibc
import LupineFixtures

/// An nginx in a network namespace that sends a file slowly; its last reference ends the process.
final class NginxProcess: Sendable {
  /// The length of the file in bytes; nginx sends 64 KiB at once, and 64 KiB in each further second.
  static let size = 3 << 16

  let url: String
  private let process: pid_t

  /// Starts nginx, which accepts connections on return: it listens before it becomes a daemon.
  init(_ namespace: String, address: String, folder: TemporaryFolder) throws {
    url = "http://\(address)/big.bin"
    let content = (0..<Self.size / 8).map { "\(1_000_000 + $0)\n" }.joined()
    try folder.write(content, to: "files/big.bin")
    try folder.write(Self.configuration(folder.path, address), to: "nginx.conf")
    try Shell.run(
      "ip", "netns", "exec", namespace, "/usr/sbin/nginx", "-p", folder.path, "-e", "\(folder.path)/nginx.log", "-c",
      "\(folder.path)/nginx.conf")
    process = try Self.process(folder.path)
    // Otherwise nginx removes the file at its end, which can disturb the removal of the folder at the same time.
    unlink("\(folder.path)/nginx.pid")
  }

  deinit { kill(process, SIGTERM) }

  private static func process(_ folder: String) throws -> pid_t {
    guard let file = fopen("\(folder)/nginx.pid", "r") else { throw ShellError("nginx has no number") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let length = fread(&bytes, 1, bytes.count, file)
    guard let number = pid_t(String(decoding: bytes[..<length], as: UTF8.self).filter(\.isNumber)) else {
      throw ShellError("nginx has no number")
    }
    return number
  }

  private static func configuration(_ folder: String, _ address: String) -> String {
    """
    user root;
    worker_processes 1;
    pid "\(folder)/nginx.pid";
    events { worker_connections 64; }
    http {
      access_log off;
      client_body_temp_path "\(folder)/body";
      proxy_temp_path "\(folder)/proxy";
      fastcgi_temp_path "\(folder)/fastcgi";
      uwsgi_temp_path "\(folder)/uwsgi";
      scgi_temp_path "\(folder)/scgi";
      server {
        listen \(address):80;
        root "\(folder)/files";
        limit_rate 64k;
      }
    }
    """
  }
}
