// Bodies of real services with an array or a dictionary in a variable, in or beside a nested literal of different types:
// the compiler says what to write.

import Foundation
import Lupine

struct Values {
  var text = "", number = 1, price = 1.5, flag = true, time = Date()
  var tags = ["a"], ids = [1], metadata = ["a": "b"], counts = ["a": 1], rows = [["a": "b"]], uuids = [UUID()]
  var maybe: [String]?
}

func send(_ v: Values, over session: Session) {
  // a list of issues
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["title": v.text, "filter": ["tags": v.tags, "page": 1]])
  // GitHub: an issue
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["title": v.text, "labels": v.tags, "assignee": ["login": "a", "id": 1]])
  // GitHub: a protected branch
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: [
      "required_status_checks": ["strict": v.flag, "contexts": v.tags], "enforce_admins": v.flag, "restrictions": nil,
    ])
  // Stripe: an intent
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: [
      "amount": v.number, "metadata": v.metadata,
      "automatic_payment_methods": ["enabled": v.flag, "allow_redirects": "never"],
    ])
  // Stripe: a checkout
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["mode": "payment", "line_items": [["quantity": v.number, "price": v.text, "tax_rates": v.tags]]])
  // OpenAI: embeddings
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["model": "m", "input": v.tags, "options": ["dimensions": v.number, "user": v.text]])
  // OpenAI: a chat
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["model": "m", "messages": v.rows, "options": ["temperature": v.price, "stop": v.tags]])
  // Slack: metadata
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["channel": "C1", "blocks": v.rows, "metadata": ["event_type": v.text, "event_payload": v.metadata]])
  // Slack: an attachment
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["text": v.text, "attachments": [["color": "#fff", "ts": v.number, "mrkdwn_in": v.tags]]])
  // GraphQL: identifiers
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["query": v.text, "variables": ["ids": v.ids, "first": 10]])
  // GraphQL: an input
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["query": v.text, "variables": ["input": ["name": v.text, "tags": v.tags, "count": v.number]]])
  // Firebase: a notification
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["tokens": v.tags, "notification": ["title": v.text, "badge": v.number]])
  // Jira: an issue
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: [
      "fields": ["summary": v.text, "labels": v.tags, "priority": ["id": v.number]],
      "update": ["labels": [["add": v.text]]],
    ])
  // Notion: a page
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: [
      "parent": ["database_id": v.text], "children": v.maybe, "archived": v.flag, "icon": ["type": "emoji", "n": 1],
    ])
  // SendGrid: a mail
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["personalizations": [["to": v.rows, "subject": v.text, "send_at": v.number]], "categories": v.tags])
  // Algolia: a query
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request(
    "x",
    parameters: ["requests": [["indexName": v.text, "params": ["query": v.text, "facets": v.tags, "page": v.number]]]])
  // a synchronisation
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["ids": v.uuids, "since": v.time, "page": ["size": v.number, "after": v.text]])
  // a deployment
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["config": ["env": v.metadata, "replicas": v.number], "name": v.text])
  // counts on two levels
  // expected-error@+1 {{Write `.parameterValue` behind an array or a dictionary in a variable}}
  _ = session.request("x", parameters: ["counts": v.counts, "nested": ["more": v.counts, "name": v.text]])
}
