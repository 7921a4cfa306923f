// Redaction: the secret texts, and their removal from a URL or a text.
import type { Catalogue } from '../domain/catalogue.ts'
import { isServiceAccount, readServiceAccount } from '../domain/service-account.ts'
import { isLoopback } from '../utilities/listen-address.ts'

import { createEncodedSecrets } from './encoded-secrets.ts'

export const HIDDEN = '[hidden]'
const HIDDEN_ADDRESS = '[address]'

/** Shorter secrets are placeholders ("none", "ollama") or common words: hiding them would garble the log. */
const MIN_SECRET_CHARS = 8

/** Patterns of credentials: our keys, imported and providers' keys, Google's tokens, a bearer header, a key in a query. */
const CREDENTIALS = [
  'tg_[A-Za-z0-9_-]{16,}',
  'AIza[A-Za-z0-9_-]{30,}',
  // Imported keys may be chosen by hand: brackets and commas belong to a key if it continues after them. A prefix, as lists show it, has
  // 7 characters after "sk-" and is not hidden; "task-identifier" has a letter before "sk-".
  "(?<![A-Za-z0-9])sk-[A-Za-z0-9!#$%*+./:=?@^_~-]{8,}(?:['(),;<>`{|}[\\]]+[A-Za-z0-9!#$%*+./:=?@^_~-]+)*",
  'sk-[A-Za-z0-9_-]{16,}',
  'ya29\\.[A-Za-z0-9._-]{16,}',
  '(Bearer |[?&]key=)[^[&#\\s"\\\\][^&#\\s"\\\\]*',
]

/** Query parameters with a credential: the native surface's `key`, and names that callers confuse with it. */
const SECRET_PARAMETERS = new Set([
  'key',
  'api_key',
  'apikey',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'x-litellm-api-key',
  'token',
  'access_token',
])

/** The lookbehind makes the pattern try each run of letters only once: long texts without an address must not take long. */
const ANY_URL = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>]+/gi
const ANY_IP = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\[(?:[0-9a-f.%]*:){2,}[0-9a-f.%]*\](?::\d{1,5})?/gi

/** Removes known secrets and credentials from text before it is written. */
export interface Redactor {
  /** Whether a text, plain or serialized as JSON, contains a secret. Fast, since every line is checked. */
  finds(text: string): boolean
  /** Returns the text with each secret replaced by `[hidden]`. */
  hide(text: string): string
  /** Does the same for free text from outside, such as an error's message; URLs and IP addresses also become `[address]`. */
  scrub(text: string): string
}

/**
 * Creates a redactor for a set of secrets, once per catalogue. Texts of fewer than eight characters are
 * ignored.
 * @param credentials literal texts, which are also hidden in encoded form @param addresses literal texts
 */
export function createRedactor(credentials: readonly string[], addresses: readonly string[] = []): Redactor {
  const isLongEnough = (secret: string) => secret.length >= MIN_SECRET_CHARS
  const encoded = createEncodedSecrets(credentials.filter(isLongEnough))
  const forms = new Set([...credentials, ...addresses].filter(isLongEnough).flatMap(formsOf))
  const longestFirst = [...forms].sort((a, b) => b.length - a.length).map(escapePattern)
  const source = [...longestFirst, ...CREDENTIALS].join('|')
  const one = new RegExp(source)
  const all = new RegExp(source, 'g')
  const hide = (text: string) =>
    encoded.hide(text, HIDDEN).replace(all, (_, lead: string | undefined) => `${lead ?? ''}${HIDDEN}`)
  return {
    finds: (text) => one.test(text) || encoded.finds(text),
    hide,
    scrub: (text) => hide(text).replace(ANY_URL, HIDDEN_ADDRESS).replace(ANY_IP, HIDDEN_ADDRESS),
  }
}

const redactors = new WeakMap<Pick<Catalogue, 'providers'>, Redactor>()

/** Returns the redactor of a catalogue's secrets, created once. */
export function redactorOf(catalogue: Pick<Catalogue, 'providers'>): Redactor {
  const known = redactors.get(catalogue)
  if (known) return known
  const made = createRedactor(...secretsOf(catalogue))
  redactors.set(catalogue, made)
  return made
}

/**
 * Returns the secrets of a catalogue: provider keys, header values, and plugins' secrets; as addresses the base
 * URLs, their hosts, and the projects and names of service accounts.
 */
export function secretsOf({
  providers,
  storage,
  section_secrets = [],
}: Pick<Catalogue, 'providers'> & Partial<Pick<Catalogue, 'storage' | 'section_secrets'>>): [
  credentials: string[],
  addresses: string[],
] {
  const all = [...providers.values()]
  return [
    [
      ...all.flatMap(({ api_keys, headers }) => [...api_keys.flatMap(partsOfKey), ...Object.values(headers)]),
      ...(storage?.files ? [storage.files.secret_access_key] : []),
      ...(storage?.database === undefined ? [] : [storage.database, ...passwordIn(storage.database)]),
      ...section_secrets,
    ],
    all.flatMap(({ base_url, api_keys }) => [...addressesOf(base_url), ...api_keys.flatMap(placesOfKey)]),
  ]
}

/** Returns a key; for a service account's file also its private key, which may appear without the rest. */
function partsOfKey(api_key: string): string[] {
  if (!isServiceAccount(api_key)) return [api_key]
  const account = readServiceAccount(api_key)
  return 'problem' in account ? [api_key] : [api_key, account.private_key.trim()]
}

/** Returns the project and name of a service account, since Vertex AI includes them in refusals, which callers see. */
function placesOfKey(api_key: string): string[] {
  const account = isServiceAccount(api_key) ? readServiceAccount(api_key) : undefined
  return account && !('problem' in account) ? [account.project_id, account.client_email] : []
}

/** Returns the password as written and decoded. */
function passwordIn(address: string): string[] {
  const password = URL.parse(address)?.password ?? ''
  return password === '' ? [] : [...new Set([password, decodeURIComponent(password)])]
}

/** Prepares a URL for the log: replaces only values of `key=` and similar parameters, and a user:password. */
export function redactUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i, `$1//${HIDDEN}@`)
    .replace(/([?&#])([^=&#?]*)=[^&#]*/g, (pair, separator, name) =>
      SECRET_PARAMETERS.has(decoded(name)) ? `${separator}${name}=${HIDDEN}` : pair,
    )
}

/** Returns a secret in plain form, serialized in JSON, and percent-encoded in upper and lower case. */
function formsOf(secret: string): string[] {
  const percent = percentEncoded(secret)
  const lower = percent.replace(/%../g, (code) => code.toLowerCase())
  return [secret, JSON.stringify(secret).slice(1, -1), percent, lower]
}

/** Returns no addresses for the simulator. A host of one label (`ollama`) or of this machine is hidden only with its port. */
function addressesOf(base_url: string): string[] {
  if (!URL.canParse(base_url)) return []
  const { host, hostname } = new URL(base_url)
  const named = hostname.includes('.') && !isLoopback(hostname)
  return [
    base_url,
    base_url.toLowerCase(),
    ...(host === hostname && !named ? [] : [host]),
    ...(named ? [hostname] : []),
  ]
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')).trim().toLowerCase()
  } catch {
    // Invalid percent-encoding: compared literally.
    return name.toLowerCase()
  }
}

/** Replaces lone surrogates first, since encodeURIComponent throws on them. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
