// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "UploadsToNIO",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Lupine", path: "../../..", traits: [.defaults, "Configuration", "Observability"]),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  ],
  targets: [
    .executableTarget(
      name: "UploadsToNIO",
      dependencies: [
        .product(name: "LupineCore", package: "Lupine"),
        .product(name: "LupineCurl", package: "Lupine"),
        .product(name: "LupineNative", package: "Lupine"),
        .product(name: "LupineResumableUpload", package: "Lupine"),
        .product(name: "LupineSession", package: "Lupine"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
