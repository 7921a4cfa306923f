// Titles, groups and labels of settings. Other sections and fields show their name and description.
import { capital } from '../../../console/web/parts/capital.ts'
import type { Labels } from '../parts/labels.ts'
import { MONEY } from './money-words.ts'
import { PEOPLE } from './people-words.ts'

export interface SectionWords {
  title: string
  lead?: string
  labels: Labels
  /** Titles of groups of fields, by the first field of each. */
  groups?: Readonly<Record<string, string>>
  /** What a block of its list is: "plan". */
  noun?: string
  /** An example of settings that can only be edited in the file. */
  example?: string
}

const BUCKET_LABELS: Labels = {
  endpoint: { label: 'S3 endpoint', help: 'Leave empty for Amazon S3.', code: true },
  region: { label: 'Region', code: true },
  access_key_id: { label: 'Access key ID', code: true },
  secret_access_key: { label: 'Secret access key', code: true },
}
const RATES = { requests_per_minute: 'Requests a minute', tokens_per_minute: 'Tokens a minute' } as const

const WORDS: Readonly<Record<string, SectionWords>> = {
  server: {
    title: 'Server',
    lead: 'Addresses, log, timeouts and stored answers.',
    groups: {
      listen: 'Addresses',
      env_names: 'Keys of providers',
      log_level: 'Log',
      on_disconnect: 'Running calls',
      kept_answers_mb: 'Repeated requests',
      max_answer_bytes: 'Answers of providers',
    },
    labels: {
      listen: { label: 'Listen address', help: 'Address and port, such as 127.0.0.1:8080.', code: true },
      tls_certificate: {
        label: 'TLS certificate',
        help: 'A PEM file with its chain. With a TLS key, the gateway serves HTTPS.',
        code: true,
      },
      tls_key: { label: 'TLS key', help: 'The PEM file of its private key.', code: true },
      public_url: {
        label: 'Public URL',
        help: 'How callers reach the gateway. Include the path if a proxy serves it below one.',
        code: true,
      },
      cors_origins: {
        label: 'Browser origins',
        help: 'Sites whose pages may call the API, separated by commas; * allows any.',
        code: true,
      },
      trusted_proxies: {
        label: 'Trusted proxies',
        help: 'IP addresses or CIDR blocks, separated by commas. The caller’s address is read from their X-Forwarded-For.',
        code: true,
      },
      env_names: {
        label: 'Environment variables',
        help: 'Variables that a provider’s key may name as env:NAME, separated by commas.',
        code: true,
      },
      log_level: { label: 'Minimum log level', help: 'Lower levels are not logged.' },
      on_disconnect: {
        label: 'When a client disconnects',
        help: 'What happens to its running call.',
        options: { cancel: 'Cancel the call', drain: 'Finish the answer' },
      },
      drain_timeout_ms: {
        label: 'Time to finish',
        help: 'How long an answer may go on after its client disconnected.',
      },
      shutdown_timeout_ms: {
        label: 'Shutdown timeout',
        help: 'How long running calls may take when the gateway stops.',
      },
      stalled_reader_timeout_ms: {
        label: 'Stalled client timeout',
        help: 'How long a client may read nothing of an answer.',
      },
      kept_answers_mb: { label: 'Stored answers', help: 'For Idempotency-Key, all accounts together.' },
      kept_answers_mb_per_account: { label: 'Stored answers of an account', help: 'For Idempotency-Key.' },
      idempotency_keys_per_account: {
        label: 'Idempotency keys of an account',
        help: 'Each is remembered for 24 hours.',
      },
      max_answer_bytes: { label: 'Largest answer', help: 'Of one request, decompressed.' },
    },
  },
  limits: {
    title: 'Limits',
    lead: 'Rate limits of every account and key. Leave a field empty for no limit. Set the limits of a single account or key on its page.',
    groups: {
      'account.requests_per_minute': 'Every account',
      'key.requests_per_minute': 'Every key',
      reads_per_minute: 'Other limits',
    },
    labels: {
      'account.requests_per_minute': { label: RATES.requests_per_minute },
      'account.tokens_per_minute': { label: RATES.tokens_per_minute, help: 'Input and output together.' },
      'account.concurrent_calls': { label: 'Concurrent requests' },
      'key.requests_per_minute': { label: RATES.requests_per_minute },
      'key.tokens_per_minute': { label: RATES.tokens_per_minute, help: 'Input and output together.' },
      'key.concurrent_calls': { label: 'Concurrent requests' },
      reads_per_minute: {
        label: 'Free requests a minute',
        help: 'Requests of a key that cost nothing, such as for the list of models.',
      },
      images_per_minute: { label: 'Images a minute', help: 'Of an account, over all APIs.' },
      refuse_negative_margin: {
        label: 'Skip routes that cost more than the caller pays',
        help: 'When off, such calls are made and logged.',
      },
    },
  },
  brand: {
    title: 'Brand',
    lead: 'The name and look that account holders see on pages, in mail and on statements.',
    groups: { name: 'Look', support_url: 'Your pages' },
    labels: {
      name: { label: 'Name', help: 'Shown in place of Tollgate.' },
      logo: { label: 'Logo', help: 'A wordmark: PNG, WebP or SVG in the data folder.', code: true },
      icon: { label: 'Icon', help: 'A square image in the data folder, for browser tabs.', code: true },
      color: { label: 'Color', help: 'Of buttons and links, such as #1f56c4.', code: true },
      support_url: { label: 'Support', help: 'A URL, or mailto: with an address.', code: true },
      terms_url: { label: 'Terms of service', code: true },
      privacy_url: { label: 'Privacy policy', code: true },
      imprint_url: { label: 'Imprint', code: true },
    },
  },
  site: {
    title: 'Public pages',
    lead: 'Your offer, prices and status, for anybody, without signing in.',
    labels: {
      enabled: { label: 'Public pages', help: 'Serves /, /pricing and /status.' },
      description: { label: 'Description', help: 'What you offer, in a sentence or two.', rows: 3 },
      hidden_models: { label: 'Hidden models', help: 'Left out, such as internal-*.', code: true },
    },
  },
  console: {
    title: 'Console',
    lead: 'Access to these pages.',
    labels: {
      enabled: {
        label: 'Console',
        help: 'If off, /console is not found.',
        off: 'The console closes at once, for everyone. To turn it on again, edit [console] in the configuration file on the server.',
      },
      insecure_http: {
        label: 'Sign-in over HTTP',
        help: 'From other machines, without encryption: only in a network that you trust.',
        off: 'If you use the console over plain HTTP from another machine, you are signed out and cannot sign in again.',
      },
      session_hours: { label: 'Session', help: 'People must sign in again after this time.' },
      idle_hours: {
        label: 'Idle session',
        help: 'People must sign in again after this time without a request.',
      },
    },
  },
  responses: {
    title: 'Responses API',
    lead: 'Stored responses that callers can continue.',
    labels: {
      store: { label: 'Store responses' },
      days: { label: 'Keep for' },
      max_mb: { label: 'Space', help: 'All accounts together.' },
      max_mb_per_account: { label: 'Space of an account' },
      max_mb_per_conversation: {
        label: 'Longest conversation',
        help: 'That previous_response_id continues.',
      },
    },
  },
  retention: {
    title: 'Retention',
    lead: 'How long details of calls are kept.',
    labels: {
      traces: {
        label: 'Traces of calls',
        help: 'Routes, times and errors of a call. 0 keeps them. Charges are kept in any case.',
      },
    },
  },
  alerts: {
    title: 'Alerts',
    lead: 'Spend that raises an alert, and where alerts are sent. The latest are in System.',
    groups: { webhook_url: 'Webhook', account_daily_usd: 'Daily spend (UTC)' },
    labels: {
      webhook_url: {
        label: 'Webhook URL',
        help: 'Or env:NAME. A URL with a path or query is hidden once saved.',
        code: true,
      },
      webhook_secret: {
        label: 'Webhook secret',
        help: 'Signs each alert, such as whsec_…, or env:NAME.',
        code: true,
      },
      account_daily_usd: { label: 'Daily alert per account', help: 'Leave empty for none.' },
      key_daily_usd: { label: 'Daily alert per key', help: 'Leave empty for none.' },
    },
  },
  ...MONEY,
  ...PEOPLE,
  mail: {
    title: 'Mail',
    lead: 'The server that sends invitations, password links and notices. Needs a public URL.',
    labels: {
      smtp: {
        label: 'Mail server',
        help: 'Such as smtp://user:password@mail.example.com:587 (STARTTLS), smtps:// for TLS, or env:NAME. Hidden once saved if it has a password.',
        code: true,
      },
      from: { label: 'Sender', help: 'Such as Example AI <noreply@example.com>.' },
    },
  },
  backup: {
    title: 'Backups',
    lead: 'When backups are made, and where they go.',
    groups: { every: 'Schedule', folder: 'Place', passphrase: 'Encryption' },
    labels: {
      every: { label: 'Every', help: 'Such as 24h or 7d. Leave empty if you set a time.', code: true },
      at: { label: 'Daily at (UTC)', help: 'Such as 03:00.', code: true },
      keep: { label: 'Scheduled backups to keep' },
      folder: { label: 'Folder', code: true },
      bucket: { label: 'Bucket', code: true },
      prefix: { label: 'Prefix', help: 'A path within the bucket.', code: true },
      ...BUCKET_LABELS,
      passphrase: { label: 'Passphrase', code: true },
      recipient: {
        label: 'Recipient',
        help: 'An age public key. Its private key decrypts the backups.',
        code: true,
      },
    },
  },
  metrics: {
    title: 'Metrics',
    lead: 'GET /metrics, for Prometheus.',
    labels: {
      token: {
        label: 'Token',
        help: 'The bearer token of GET /metrics, or env:NAME. Leave empty to switch /metrics off.',
        code: true,
      },
      listen: {
        label: 'Local address',
        help: 'Address and port on this machine that need no token, such as 127.0.0.1:9464.',
        code: true,
      },
    },
  },
  telemetry: {
    title: 'Tracing',
    lead: 'OpenTelemetry spans of calls.',
    labels: {
      endpoint: { label: 'Collector', help: 'Its OTLP address, such as http://127.0.0.1:4318.', code: true },
      sample: { label: 'Share of calls', help: 'From 0 to 1.' },
      service_name: { label: 'Service name', code: true },
    },
  },
  native: {
    title: 'Gemini API',
    lead: 'The native surface, for Google’s clients.',
    labels: {
      extra_methods: {
        label: 'Extra methods',
        help: 'models.list, models.get, countTokens, embedContent and batchEmbedContents.',
      },
    },
  },
  storage: {
    title: 'Storage',
    lead: 'Where rows and files are stored.',
    labels: {
      database: {
        label: 'PostgreSQL database',
        help: 'If empty, tollgate.db in the data folder.',
        code: true,
      },
      files: { label: 'Bucket for files', help: 'If empty, the data folder.', code: true },
      ...BUCKET_LABELS,
    },
  },
}

export const wordsOf = (name: string): SectionWords =>
  WORDS[name] ?? {
    title: capital(name.replaceAll('_', ' ')),
    labels: {},
  }
