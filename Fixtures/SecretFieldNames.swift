/// The names of header fields for tests of what is secret.
public enum SecretFieldNames {
  /// Names that the documentation of services has for their tokens and keys, as they write them.
  public static let secret = [
    "PRIVATE-TOKEN", "JOB-TOKEN", "X-Auth-Token", "X-Subject-Token", "X-Vault-Token", "X-Consul-Token", "X-Nomad-Token",
    "X-Api-Key", "Api-Key", "api-token", "X-Amz-Security-Token", "x-amz-server-side-encryption-customer-key",
    "X-aws-ec2-metadata-token", "X-Goog-Api-Key", "x-goog-encryption-key", "X-Serverless-Authorization",
    "Ocp-Apim-Subscription-Key", "x-functions-key", "aeg-sas-key", "x-ms-encryption-key", "X-Auth-Key",
    "CF-Access-Client-Secret", "Fastly-Key", "X-Shopify-Access-Token", "X-JFrog-Art-Api", "X-NuGet-ApiKey",
    "X-Figma-Token", "X-Postmark-Server-Token", "X-Algolia-API-Key", "DD-API-KEY", "DD-APPLICATION-KEY", "Circle-Token",
    "X-RapidAPI-Key", "X-Hasura-Admin-Secret", "X-Plex-Token", "X-Parse-Session-Token", "X-Access-Token",
    "X-CSRF-Token", "X-XSRF-TOKEN", "X-Forwarded-Access-Token", "X-Session-Token",
  ]

  /// Names that look like them, and whose values are no secrets.
  public static let harmless = [
    "Idempotency-Key", "Surrogate-Key", "X-Cache-Key", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol", "X-Request-ID",
    "X-Api-Version", "X-Amz-Date", "X-Goog-User-Project", "X-Shopify-Topic", "X-RateLimit-Limit", "Accept",
    "User-Agent",
    "Authentication-Info", "X-Amz-Continuation-Token",
  ]
}
