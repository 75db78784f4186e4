import LupineCore
import Testing

@testable import LupineRedis

@Suite struct RedisServerTests {
  static let urls: [(String, RedisServer)] = [
    ("redis://cache.internal", RedisServer(.tcp(host: "cache.internal", port: 6379))),
    (
      "redis://ali:open%20sesame@127.0.0.1:7000/3",
      RedisServer(.tcp(host: "127.0.0.1", port: 7000), username: "ali", password: "open sesame", database: 3)
    ),
    ("redis://:secret@[::1]:7000/", RedisServer(.tcp(host: "::1", port: 7000), password: "secret")),
    ("unix:///run/redis.sock", RedisServer(.unix(path: "/run/redis.sock"))),
    ("unix:///run/redis.sock?db=2", RedisServer(.unix(path: "/run/redis.sock"), database: 2)),
  ]

  @Test(arguments: urls) func `a URL describes a server`(url: String, expected: RedisServer) throws {
    #expect(try RedisServer(url: url) == expected)
  }

  @Test(arguments: [
    "", "cache.internal", "http://:secret@cache", "redis://", "redis://:secret@cache/one", "redis://:secret@cache/-1",
    "redis://:secret@cache?db=1", "unix://:secret@host/path", "unix://", "unix:///path?password=secret",
  ])
  func `another URL is refused without its password`(url: String) {
    let error = #expect(throws: LupineError.self) { try RedisServer(url: url) }
    #expect(error?.message.contains("secret") == false)
  }

  @Test func `TLS is refused with advice`() {
    let error = #expect(throws: LupineError.self) { try RedisServer(url: "rediss://:secret@cache") }
    #expect(error?.message.contains("TLS to a Redis server is not supported") == true)
    #expect(error?.message.contains("secret") == false)
  }

  @Test func `descriptions show neither the password nor the user`() throws {
    let server = RedisServer(.tcp(host: "::1", port: 1), username: "ali", password: "open sesame", database: 4)
    let store = try RedisStore(server, authenticationKey: Array("a key of thirty-two random bytes".utf8))
    var dumped = ""
    dump(store, to: &dumped)
    dump(server, to: &dumped)
    #expect("\(server)" == "[::1]:1, database 4")
    for text in [dumped, "\(store)", "\(server)", String(reflecting: store), String(reflecting: server)] {
      #expect(!text.contains("ali") && !text.contains("sesame") && !text.contains("97, 32"))
    }
  }

  @Test(arguments: [
    RedisServer(.tcp(host: "", port: 6379)), RedisServer(.tcp(host: "a", port: 0)), RedisServer(.unix(path: "")),
    RedisServer(.unix(path: String(repeating: "a", count: 108))), RedisServer(.unix(path: "/a"), database: -1),
    RedisServer(.unix(path: "/a"), username: "ali"),
  ])
  func `a server that cannot exist is refused`(server: RedisServer) {
    #expect(throws: LupineError.self) { try RedisStore(server, authenticationKey: RedisStage.key) }
  }

  @Test(arguments: [0, 31, 1025]) func `a key of another length is refused`(count: Int) {
    #expect(throws: LupineError.self) {
      try RedisStore(RedisServer(.unix(path: "/a")), authenticationKey: Array(repeating: 1, count: count))
    }
  }

  @Test func `a server's answer does not bring the password into an error`() {
    let server = RedisServer(.unix(path: "/a"), password: "open sesame")
    let replies = [("AUTH", "ERR unknown command, with args beginning with: 'open"), ("GET", "ERR open sesame")]
    for (command, reply) in replies {
      #expect(!LupineError.redisRefused(command, reply, by: server).message.contains("open"))
    }
    #expect(LupineError.redisRefused("GET", "OOM no memory", by: server).message.hasSuffix("GET: OOM no memory"))
  }
}
