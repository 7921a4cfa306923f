// Where the catalogue file has secrets: in the values of its providers, in [metrics], [telemetry], [alerts], [backup] and [storage], and in comments that hold such values.
import { SERVER_FIELDS } from '../domain/servers/known-server.ts'
import { writtenServer } from '../domain/servers/lookup.ts'
import { mayHaveToken } from '../domain/webhook-secret.ts'
import { markOf } from '../observe/key-mark.ts'
import { FROM_FILE, keyFileIn } from './key-files.ts'
import type { Places, Span, TomlPath } from './toml.ts'
import type { Splice } from './toml-lines.ts'

/** A secret that is written in the file itself. */
export interface WrittenSecret {
  path: TomlPath
  span: Span
  /** As it is written, in its quotes. */
  written: string
  secret: string
  /** What is shown in its place. */
  shown: string
  /** The address that it is sent to: scheme, host and port; empty without an address. */
  origin: string
}

const SHOWN = /^hidden:[A-Za-z0-9_-]{8}$/

/** What stands for a secret: it tells one from another, and nothing of it. */
const shownFor = (secret: string): string => `hidden:${markOf(secret)}`
export const isShown = (text: string): boolean => SHOWN.test(text)

/** What of a provider may be read. All else may be a secret, under whatever name. */
const READABLE: readonly unknown[] = ['name', 'protocol', 'server', 'base_url', ...SERVER_FIELDS]
/** The name of an environment variable, and how a shell would write one, which is a mistake. */
const VARIABLE = /^\s*(?:env:\s*([A-Za-z_]\w*)|\$\{?[A-Za-z_]\w*\}?)\s*$/
/** It names a variable or a file, and is no secret. */
const isReference = (text: string): boolean => VARIABLE.test(text) || keyFileIn(text) !== undefined
/** An address that holds more than an address; it is a mistake, too. */
const BEARS_SECRET = /[@?#]/

/** The values of providers, but for those that anybody may read and those that name an environment variable. */
export function secretsIn({ text, written: all, value }: Places): WrittenSecret[] {
  return all.flatMap(({ path, node }) => {
    const origin = destinationOf(path, value)
    if (origin === undefined || node.type !== 'TOMLValue') return []
    const secret = node.value
    if (typeof secret !== 'string' || secret.trim() === '' || isReference(secret) || isShown(secret))
      return []
    if (isReadable(path) && !(path[2] === 'base_url' && BEARS_SECRET.test(secret))) return []
    if (isWebhookAddress(path) && !mayHaveToken(secret)) return []
    const span: Span = [node.range[0], node.range[1]]
    const written = text.slice(...span)
    return { path, span, written, secret, shown: shownFor(secret), origin }
  })
}

/** Where a secret that stands at a path is sent to: an address, or a part of ours; undefined if none can stand. */
export function destinationOf(path: TomlPath, root: Readonly<Record<string, unknown>>): string | undefined {
  const index = providerOf(path)
  if (index !== undefined) return originOf(root, index)
  if (!isSecretSetting(path)) return undefined
  const [section] = path
  if (section === 'telemetry') return addressOf(Reflect.get(Object(root.telemetry), 'endpoint'))
  // In place of an address: no provider has it.
  if (section === 'metrics') return 'the metrics'
  if (section === 'storage') return 'the storage'
  return section === 'alerts' ? 'the alerts' : 'the backups'
}

const SECRET_SETTINGS: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['metrics', ['token']],
  ['telemetry', ['headers']],
  ['alerts', ['webhook_url', 'webhook_secret']],
  ['backup', ['access_key_id', 'secret_access_key', 'passphrase']],
  ['storage', ['database', 'access_key_id', 'secret_access_key']],
])

const isSecretSetting = ([section, name]: TomlPath): boolean =>
  SECRET_SETTINGS.get(section)?.includes(name) === true

const isWebhookAddress = ([section, name]: TomlPath): boolean =>
  section === 'alerts' && name === 'webhook_url'

/** Which provider a path lies in; undefined outside of them. */
export const providerOf = ([section, index]: TomlPath): number | undefined =>
  section === 'providers' && typeof index === 'number' ? index : undefined

/** Whether what stands there is shown, wherever the provider's name, protocol and address are. */
export const isReadable = (path: TomlPath): boolean =>
  (providerOf(path) === undefined && !isSecretSetting(path)) ||
  (path.length === 3 && path[0] === 'providers' && READABLE.includes(path[2])) ||
  path[2] === 'drop_fields'

/** A value of a provider that names an environment variable, or a file, as `file:PATH`. */
export interface VariableUse {
  path: TomlPath
  line: number
  variable: string
  /** As of `WrittenSecret`. */
  origin: string
}

/** The environment variables that providers are given. */
export function variablesIn({ written, value }: Places): VariableUse[] {
  return written.flatMap(({ path, node }) => {
    const origin = destinationOf(path, value)
    if (origin === undefined || node.type !== 'TOMLValue' || typeof node.value !== 'string') return []
    const file = keyFileIn(node.value)
    const variable = file === undefined ? VARIABLE.exec(node.value)?.[1] : `${FROM_FILE}${file}`
    return variable === undefined ? [] : [{ path, line: node.loc.start.line, variable, origin }]
  })
}

/** The address of the provider at a place of the file. */
export function originOf(root: Readonly<Record<string, unknown>>, index: number): string {
  const providers = root.providers
  const provider: unknown = Array.isArray(providers) ? providers[index] : undefined
  return addressOf(typeof provider === 'object' && provider !== null && writtenServer(provider).base_url)
}

function addressOf(address: unknown): string {
  if (typeof address !== 'string') return ''
  return URL.canParse(address) ? new URL(address).origin : address
}

/** On one line. A text that is not closed goes to the end: so each character is looked at once, and nothing of a secret stays. */
const QUOTED = /"(?:\\.|[^"\\])*\\?(?:"|$)|'[^']*'/g
/** A key whose value is a secret, or a table of such. */
const SENSITIVE =
  /(api.?keys?|headers|authorization|secret|token|password|passphrase|access_key_id|webhook_url|database|[\w-]-key)["']?\s*=|private_key["']?\s*[:=]/i
const HEADERS = /^\s*(?:#+\s*)?\[[^\]=]*headers[^\]=]*\]/i
/** A longer line hides all that is quoted: these patterns take a time that grows with the square of its length. */
const MAX_LINE_CHARS = 1_000
/** Begins something else: another block or setting. */
const BLOCK = /^\s*(?:#+\s*)?\[+[\w."-]+\]+\s*$/
const SETTING = /^\s*(?:#+\s*)?[\w."-]+\s*=/

/** What replaces what looks like a secret in comments: quoted texts in commented-out keys and headers, over several lines, too. */
export function hiddenInComments({ text, comments }: Places): Splice[] {
  const by_line = new Map(comments.map(({ loc, range }) => [loc.start.line, range]))
  let is_open = false
  let in_headers = false
  return text.split('\n').flatMap((line, at): Splice[] => {
    const range = by_line.get(at + 1)
    if (!range) {
      is_open = false
      in_headers = false
      return []
    }
    const is_long = line.length > MAX_LINE_CHARS
    if (!is_long && HEADERS.test(line)) in_headers = true
    else if (!is_long && BLOCK.test(line)) in_headers = false
    const is_sensitive = is_long || SENSITIVE.test(line) || in_headers || (is_open && !SETTING.test(line))
    is_open = is_sensitive && opensMore(line, is_open)
    return is_sensitive ? [[...range, text.slice(...range).replace(QUOTED, hideQuoted)]] : []
  })
}

/** Whether a list or table goes on after a line. */
function opensMore(line: string, is_open: boolean): boolean {
  const bare = line.replace(QUOTED, '')
  const opened = (bare.match(/[[{]/g) ?? []).length + (is_open ? 1 : 0)
  return opened > (bare.match(/[\]}]/g) ?? []).length
}

function hideQuoted(quoted: string): string {
  const text = quoted.slice(1, -1)
  return text.trim() === '' || isReference(text) || isShown(text) ? quoted : `"${shownFor(text)}"`
}
