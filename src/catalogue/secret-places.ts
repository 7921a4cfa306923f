// Where the catalogue file has secrets: in the values of its providers, in [storage], and in sections of plugins. In comments: secret-comments.ts.
import { SERVER_FIELDS } from '../domain/servers/known-server.ts'
import { writtenServer } from '../domain/servers/lookup.ts'
import { markOf } from '../observe/key-mark.ts'
import { FROM_FILE, keyFileIn } from './key-files.ts'
import { addedSection, originIn } from './sections.ts'
import type { TomlPath } from './toml.ts'
import type { Places, Span, Written } from './toml-places.ts'

/** A secret that is written in the file itself. */
export interface WrittenSecret {
  path: TomlPath
  span: Span
  /** As it is written, in its quotes. */
  written: string
  secret: string
  /** The mark that replaces it in what the operator reads. */
  mask: string
  /** The address that it is sent to: scheme, host and port; empty without an address. */
  origin: string
}

const MASK = /^hidden:[A-Za-z0-9_-]{8}$/

/** The mask of a secret: it tells one from another, and nothing of it. */
export const maskOf = (secret: string): string => `hidden:${markOf(secret)}`
export const isMask = (text: string): boolean => MASK.test(text)

/** The readable fields of a provider. All else may be a secret, under whatever name. */
const READABLE: readonly unknown[] = ['name', 'protocol', 'server', 'base_url', ...SERVER_FIELDS]
/** The name of an environment variable, and how a shell would write one, which is a mistake. */
const VARIABLE = /^\s*(?:env:\s*([A-Za-z_]\w*)|\$\{?[A-Za-z_]\w*\}?)\s*$/
/** It names a variable or a file, and is no secret. */
export const isReference = (text: string): boolean => VARIABLE.test(text) || keyFileIn(text) !== undefined
/** An address that holds more than an address; it is a mistake, too. */
const BEARS_SECRET = /[@?#]/

/** The values of providers, but for those that anybody may read and those that name an environment variable. */
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

/** Where a secret stands, or the mark of one. */
export const secretPlacesIn = ({ written, value }: Places): Written[] =>
  written.filter(({ path, node }) => secretAt(path, node, value) !== undefined)

/** Where a reference stands in the place of a secret. */
export const referencePlacesIn = ({ written, value }: Places): Written[] =>
  written.filter(
    ({ path, node }) =>
      node.type === 'TOMLValue' &&
      typeof node.value === 'string' &&
      isReference(node.value) &&
      destinationOf(path, value) !== undefined,
  )

/** The secret that is a value, or the mark that stands for one, and where it is sent to. */
function secretAt(path: TomlPath, node: Written['node'], root: Readonly<Record<string, unknown>>) {
  const origin = destinationOf(path, root)
  if (origin === undefined || node.type !== 'TOMLValue') return undefined
  const secret = node.value
  if (typeof secret !== 'string' || secret.trim() === '' || isReference(secret)) return undefined
  if (isReadable(path) && !(path[2] === 'base_url' && BEARS_SECRET.test(secret))) return undefined
  if (!isSecretText(path, secret)) return undefined
  return { secret, origin }
}

/** Where a secret that stands at a path is sent to: an address, or a part of ours; undefined if none can stand. */
export function destinationOf(path: TomlPath, root: Readonly<Record<string, unknown>>): string | undefined {
  const index = providerOf(path)
  if (index !== undefined) return originOf(root, index)
  // In place of an address: no provider has it.
  return isOfStorage(path) ? 'the storage' : placeInPlugin(path, root)
}

const STORAGE_SECRETS: readonly unknown[] = ['database', 'access_key_id', 'secret_access_key']

const isOfStorage = ([section, field]: TomlPath): boolean =>
  section === 'storage' && STORAGE_SECRETS.includes(field)

const isSecretSetting = (path: TomlPath): boolean =>
  isOfStorage(path) || placeInPlugin(path, {}) !== undefined

/** Where a secret in a section of a plugin goes to; undefined if none can stand there. */
const placeInPlugin = (
  [section = '', ...below]: TomlPath,
  root: Readonly<Record<string, unknown>>,
): string | undefined => addedSection(section)?.secrets?.at(below, Object(root[section]))

/** A value at such a place may be no secret. */
const isSecretText = ([section, ...below]: TomlPath, written: string): boolean =>
  addedSection(section)?.secrets?.isSecret?.(below, written) ?? true

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
function originOf(root: Readonly<Record<string, unknown>>, index: number): string {
  const providers = root.providers
  const provider: unknown = Array.isArray(providers) ? providers[index] : undefined
  return originIn(typeof provider === 'object' && provider !== null && writtenServer(provider).base_url)
}
