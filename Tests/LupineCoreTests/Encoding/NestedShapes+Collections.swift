import LupineCoding
import LupineCore
import LupineSession

/// Bodies of real services whose literals contain arrays and dictionaries in variables.
///
/// Such a value may stand on the first level beside values of any other types, and in a nested literal whose values have
/// one type.
extension NestedShapes {
  private static let people = ["x"]
  private static let user = ["id": 7]
  private static let rows = [["price": "p"]]
  private static let someTags: [String]? = tags
  private static let noTags: [String]? = nil

  static let collections: [Shape] = [
    Shape(
      "GitHub: an issue with labels",
      ["title": "a text", "labels": ["a", "b"], "assignees": ["x"], "milestone": 7]
    ) {
      $0.request(
        $1, method: .post,
        parameters: ["title": text, "labels": tags, "assignees": people, "milestone": number],
        encoder: .json)
    },
    Shape("GitHub: reviewers", ["reviewers": ["x"], "team_reviewers": ["a", "b"]]) {
      $0.request($1, method: .post, parameters: ["reviewers": people, "team_reviewers": tags], encoder: .json)
    },
    Shape("GitHub: a dispatch", ["ref": "a text", "inputs": ["order": "1"]]) {
      $0.request($1, method: .post, parameters: ["ref": text, "inputs": metadata], encoder: .json)
    },
    Shape("GitHub: labels and a user", ["labels": ["a", "b"], "user": ["id": 7]]) {
      $0.request($1, method: .post, parameters: ["labels": tags, "user": user], encoder: .json)
    },
    Shape("Stripe: a customer", ["email": "a text", "metadata": ["order": "1"], "balance": 7]) {
      $0.request(
        $1, method: .post,
        parameters: ["email": text, "metadata": metadata, "balance": number],
        encoder: .json)
    },
    Shape("Stripe: items", ["customer": "a text", "items": [["price": "p"]], "trial": true]) {
      $0.request($1, method: .post, parameters: ["customer": text, "items": rows, "trial": flag], encoder: .json)
    },
    Shape("OpenAI: messages", ["model": "m", "messages": [["price": "p"]], "temperature": 12.5, "stop": ["a", "b"]]) {
      $0.request(
        $1, method: .post,
        parameters: ["model": "m", "messages": rows, "temperature": price, "stop": tags],
        encoder: .json)
    },
    Shape("OpenAI: embeddings", ["input": ["a", "b"], "dimensions": 7]) {
      $0.request($1, method: .post, parameters: ["input": tags, "dimensions": number], encoder: .json)
    },
    Shape("Slack: a message to users", ["channel": "C1", "users": ["x"], "unfurl_links": true]) {
      $0.request(
        $1, method: .post,
        parameters: ["channel": "C1", "users": people, "unfurl_links": flag],
        encoder: .json)
    },
    Shape("Slack: metadata", ["text": "a text", "metadata": ["event_payload": ["order": "1"]]]) {
      $0.request(
        $1, method: .post, parameters: ["text": text, "metadata": ["event_payload": metadata]], encoder: .json)
    },
    Shape("Elasticsearch: terms", ["query": ["terms": ["tag": ["a", "b"]]], "size": 7]) {
      $0.request($1, method: .post, parameters: ["query": ["terms": ["tag": tags]], "size": number], encoder: .json)
    },
    Shape("Elasticsearch: fields", ["_source": ["a", "b"], "fields": ["x"], "explain": true, "from": 0]) {
      $0.request(
        $1, method: .post,
        parameters: ["_source": tags, "fields": people, "explain": flag, "from": 0],
        encoder: .json)
    },
    Shape("Elasticsearch: documents", ["docs": [["price": "p"]], "refresh": true]) {
      $0.request($1, method: .post, parameters: ["docs": rows, "refresh": flag], encoder: .json)
    },
    Shape("Algolia: filters", ["facetFilters": [["a", "b"], ["x"]], "page": 7]) {
      $0.request($1, method: .post, parameters: ["facetFilters": [tags, people], "page": number], encoder: .json)
    },
    Shape("Mailgun: recipients", ["to": ["x"], "recipient-variables": ["x": ["order": "1"]], "subject": "a text"]) {
      $0.request(
        $1, method: .post,
        parameters: ["to": people, "recipient-variables": ["x": metadata], "subject": text],
        encoder: .json)
    },
    Shape("Firebase: a notification", ["tokens": ["a", "b"], "data": ["order": "1"], "dry_run": true]) {
      $0.request($1, method: .post, parameters: ["tokens": tags, "data": metadata, "dry_run": flag], encoder: .json)
    },
    Shape("Twilio: a message", ["To": "a text", "MediaUrl": ["a", "b"], "ValidityPeriod": 7]) {
      $0.request(
        $1, method: .post,
        parameters: ["To": text, "MediaUrl": tags, "ValidityPeriod": number],
        encoder: .json)
    },
    Shape("Jira: an issue", ["update": ["labels": ["a", "b"]], "historyMetadata": ["order": "1"], "notify": true]) {
      $0.request(
        $1, method: .post,
        parameters: ["update": ["labels": tags], "historyMetadata": metadata, "notify": flag],
        encoder: .json)
    },
    Shape("Notion: optional collections", ["children": ["a", "b"], "icon": nil, "archived": true]) {
      $0.request(
        $1, method: .post,
        parameters: ["children": someTags, "icon": noTags, "archived": flag],
        encoder: .json)
    },
    Shape("GraphQL: variables", ["query": "q", "variables": ["ids": ["a", "b"]], "tags": ["a", "b"]]) {
      $0.request(
        $1, method: .post,
        parameters: ["query": "q", "variables": ["ids": tags], "tags": tags],
        encoder: .json)
    },
  ]
}
