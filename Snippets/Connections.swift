// Connections: proxies, Unix sockets, addresses and limits, on a mock transport.

import Lupine
import LupineMock

// snippet.hide
let transport = MockTransport()
transport.stub(.get, "/{any...}", .text("Hello"))
transport.stub(.get, "https://1.1.1.1/dns-query", .json(["Answer": [["data": "93.184.215.14"]]]))
// snippet.show
// Some hosts over libcurl, all others over the native transport.
let divided = try Session.Builder()
  .transport(.native)
  .transport(.curl, for: "*.corp.example")
  .connectionCredential(.negotiate, to: .origins(["https://wiki.corp.example"]))
  .build()
// snippet.hide
print(divided)
// snippet.show

// Through a proxy, the only recipient of the password; some hosts are reached without it.
let proxied = try Session.Builder()
  .transport(transport)
  .proxy("http://ali:open%20sesame@proxy.example.com:3128", except: [".internal.example.com", "10.0.0.0/8"])
  .build()

// A proxy that authenticates connections: with the system's Kerberos tickets, or with NTLM.
let office = try Session.Builder()
  .transport(transport)
  .proxy("http://proxy.example.com:3128", proving: .negotiate)  // or .ntlm(username: "DOMAIN\\name", password: …)
  .build()

// The Docker Engine's API, over its Unix-domain socket.
let docker = try Session.Builder()
  .transport(transport)
  .baseURL("http://docker/v1.43/")
  .unixSocket("/var/run/docker.sock")
  .build()
let containers = try await docker.request("containers/json", parameters: ["all": true]).serializingString().value

// URLs from users: connections are made to addresses of the public Internet alone, also after redirects.
let fetcher = try Session.Builder()
  .transport(transport)
  .networkPolicy(.publicInternetOnly)
  .build()
let refused = await fetcher.request("http://169.254.169.254/latest/meta-data/").serializingString().response.error
print(refused?.kind == .addressRefused)

// Names are resolved over HTTPS. The session that asks has no resolver of its own: its server's name is an address.
struct DNSReply: Decodable, Sendable {
  struct Record: Decodable, Sendable { var data: String }
  var answer: [Record]?

  enum CodingKeys: String, CodingKey { case answer = "Answer" }
}
let dns = try Session.Builder()
  .transport(transport)
  .baseURL("https://1.1.1.1/")
  .header(.accept, "application/dns-json")
  .build()
let resolving = try Session.Builder()
  .transport(transport)
  .resolver { host in
    let reply = try await dns.request("dns-query", parameters: ["name": host, "type": "A"])
      .serializingDecodable(DNSReply.self).value
    return (reply.answer ?? []).compactMap { IPAddress($0.data) }
  }
  .build()
// snippet.hide
print(try await resolving.request("https://api.example.com/").serializingString().value)
// snippet.show

// A server that ends lines with LF, and TLS without close_notify; every other host is read strictly.
let lenient = try Session.Builder()
  .transport(transport)
  .tolerating([.bareLineFeeds, .missingCloseNotify], of: "legacy.example.com")
  .build()

// The number and the lifetime of connections, the local address and the server's addresses.
var options = ConnectionOptions()
options.perHost = 8
options.idleLifetime = .seconds(30)
let tuned = try Session.Builder()
  .transport(transport)
  .connections(options)
  .localAddress("192.0.2.10")
  .resolve("api.example.com", to: "198.51.100.7", "198.51.100.8")
  .httpVersion(.http2)
  .build()

// snippet.hide
print(containers, proxied, office, lenient, tuned)
// snippet.show
// For a gauge; a mock has no connections.
if let pool = await tuned.connectionPool() { print(pool.open, pool.idle, pool.waiting) }

// Four event loops, for a program that sends many requests to several servers.
var configuration = NativeTransport.Configuration()
configuration.loops = 4
let busy = try Session.Builder().transport(.native(configuration)).build()
// snippet.hide
print(busy)
