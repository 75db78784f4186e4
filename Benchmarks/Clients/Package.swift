// swift-tools-version: 6.2

import PackageDescription

// Separate from the package in `Benchmarks`, so that the guard does not build these clients.
let package = Package(
  name: "Clients",
  dependencies: [
    .package(name: "Benchmarks", path: ".."),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
  ],
  targets: [
    .executableTarget(
      name: "async-http-client-row",
      dependencies: [
        .product(name: "Row", package: "Benchmarks"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], path: "AsyncHTTPClientRow"),
    .executableTarget(
      name: "urlsession-row", dependencies: [.product(name: "Row", package: "Benchmarks")], path: "URLSessionRow"),
  ],
  swiftLanguageModes: [.v6]
)
