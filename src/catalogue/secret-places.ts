// The places of secrets in the catalogue file: values of providers, [storage], and sections of plugins. For comments see secret-comments.ts.
import { SERVER_FIELDS } from '../domain/servers/known-server.ts'
import { writtenServer } from '../domain/servers/lookup.ts'
import { markOf } from '../observe/key-mark.ts'
import { FROM_FILE, keyFileIn } from './key-files.ts'
import { addedSection, originIn } from './sections.ts'
import type { TomlPath } from './toml.ts'
import type { Places, Span, Written } from './toml-places.ts'

/** A secret written in the file itself. */
export interface WrittenSecret {
  path: TomlPath
  span: Span
  /** The TOML source, with its quotes. */
  written: string
  secret: string
  /** The mask that the operator sees in its place. */
  mask: string
  /** The origin that it is sent to: scheme, host and port; empty if none exists. */
  origin: string
}

const MASK = /^hidden:[A-Za-z0-9_-]{8}$/

/** Returns the mask of a secret, which distinguishes it from others, but reveals nothing of it. */
export const maskOf = (secret: string): string => `hidden:${markOf(secret)}`
export const isMask = (text: string): boolean => MASK.test(text)

/** The readable fields of a provider. All others may be secrets. */
const READABLE: readonly unknown[] = ['name', 'protocol', 'server', 'base_url', ...SERVER_FIELDS]
/** A reference to an environment variable, also in shell syntax, which is a mistake. */
const VARIABLE = /^\s*(?:env:\s*([A-Za-z_]\w*)|\$\{?[A-Za-z_]\w*\}?)\s*$/
/** Whether a text refers to a variable or a file, so that it is no secret. */
export const isReference = (text: string): boolean => VARIABLE.test(text) || keyFileIn(text) !== undefined
/** A URL that contains credentials, a query or a fragment, which is also a mistake. */
const BEARS_SECRET = /[@?#]/

/** Returns the values of providers, except readable fields and references to environment variables. */
export function secretsIn({ text, written: all, value }: Places): WrittenSecret[] {
  return all.flatMap(({ path, node }) => {
    const found = secretAt(path, node, value)
    if (found === undefined || isMask(found.secret)) return []
    const { secret, origin } = found
    const span: Span = [node.range[0], node.range[1]]
    const written = text.slice(...span)
    return { path, span, written, secret, mask: maskOf(secret), origin }
  })
}

/** Returns the values that are secrets or masks. */
export const secretPlacesIn = ({ written, value }: Places): Written[] =>
  written.filter(({ path, node }) => secretAt(path, node, value) !== undefined)

/** Returns the values that are references at places of secrets. */
export const referencePlacesIn = ({ written, value }: Places): Written[] =>
  written.filter(
    ({ path, node }) =>
      node.type === 'TOMLValue' &&
      typeof node.value === 'string' &&
      isReference(node.value) &&
      destinationOf(path, value) !== undefined,
  )

/** Returns a value if it is a secret or a mask, with its destination. */
function secretAt(path: TomlPath, node: Written['node'], root: Readonly<Record<string, unknown>>) {
  const origin = destinationOf(path, root)
  if (origin === undefined || node.type !== 'TOMLValue') return undefined
  const secret = node.value
  if (typeof secret !== 'string' || secret.trim() === '' || isReference(secret)) return undefined
  if (isReadable(path) && !(path[2] === 'base_url' && BEARS_SECRET.test(secret))) return undefined
  if (!isSecretText(path, secret)) return undefined
  return { secret, origin }
}

/** Returns the destination of a secret at a path: an origin, or a part of the gateway; undefined if the path cannot have a secret. */
export function destinationOf(path: TomlPath, root: Readonly<Record<string, unknown>>): string | undefined {
  const index = providerOf(path)
  if (index !== undefined) return originOf(root, index)
  // This text cannot be the origin of a provider.
  return isOfStorage(path) ? 'the storage' : placeInPlugin(path, root)
}

const STORAGE_SECRETS: readonly unknown[] = ['database', 'access_key_id', 'secret_access_key']

const isOfStorage = ([section, field]: TomlPath): boolean =>
  section === 'storage' && STORAGE_SECRETS.includes(field)

const isSecretSetting = (path: TomlPath): boolean =>
  isOfStorage(path) || placeInPlugin(path, {}) !== undefined

/** Returns the destination of a secret in a plugin's section; undefined if the path cannot have one. */
const placeInPlugin = (
  [section = '', ...below]: TomlPath,
  root: Readonly<Record<string, unknown>>,
): string | undefined => addedSection(section)?.secrets?.at(below, Object(root[section]))

/** Whether the value at a place of secrets is one. */
const isSecretText = ([section, ...below]: TomlPath, written: string): boolean =>
  addedSection(section)?.secrets?.isSecret?.(below, written) ?? true

/** Returns the index of the provider that contains a path; undefined outside of providers. */
export const providerOf = ([section, index]: TomlPath): number | undefined =>
  section === 'providers' && typeof index === 'number' ? index : undefined

/** Whether the value at a path is readable. */
export const isReadable = (path: TomlPath): boolean =>
  (providerOf(path) === undefined && !isSecretSetting(path)) ||
  (path.length === 3 && path[0] === 'providers' && READABLE.includes(path[2])) ||
  path[2] === 'drop_fields'

/** A value of a provider that refers to an environment variable, or a file, as `file:PATH`. */
export interface VariableUse {
  path: TomlPath
  line: number
  variable: string
  /** As in `WrittenSecret`. */
  origin: string
}

/** Returns the references to environment variables and files at places of secrets. */
export function variablesIn({ written, value }: Places): VariableUse[] {
  return written.flatMap(({ path, node }) => {
    const origin = destinationOf(path, value)
    if (origin === undefined || node.type !== 'TOMLValue' || typeof node.value !== 'string') return []
    const file = keyFileIn(node.value)
    const variable = file === undefined ? VARIABLE.exec(node.value)?.[1] : `${FROM_FILE}${file}`
    return variable === undefined ? [] : [{ path, line: node.loc.start.line, variable, origin }]
  })
}

/** Returns the origin of a provider's URL, by its index in the file. */
function originOf(root: Readonly<Record<string, unknown>>, index: number): string {
  const providers = root.providers
  const provider: unknown = Array.isArray(providers) ? providers[index] : undefined
  return originIn(typeof provider === 'object' && provider !== null && writtenServer(provider).base_url)
}
