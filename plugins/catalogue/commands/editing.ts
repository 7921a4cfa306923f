// Edits of the catalogue by commands: finds models and providers by name, saves like the console.
import { InvalidArgumentError } from 'commander'
import type { Context } from '../../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { configurationOf, savedWords } from '../../../src/app/commands/configuration.ts'
import type { CheckedDraft } from '../../../src/catalogue/drafts.ts'
import type { Edit } from '../../../src/catalogue/edit.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import { isTable, type TomlValue } from '../../../src/catalogue/toml-write.ts'
import { conflict, notFound, unprocessable } from '../../../src/domain/errors.ts'

type Block = { readonly [key: string]: TomlValue }

/** Lists of blocks, each with the field that identifies a block. */
export const BLOCKS = { models: 'id', providers: 'name' } as const
export type Blocks = keyof typeof BLOCKS

/** Returns the blocks of a list, in the order of the file. */
export function blocksOf(values: TomlTable | Block, list: Blocks): readonly Block[] {
  const blocks: unknown = values[list]
  return Array.isArray(blocks) ? blocks.filter((block) => isTable(block)) : []
}

/** Returns the index of a model or provider in the file. @throws GatewayError not_found */
export function placeOf(values: TomlTable, list: Blocks, name: string): number {
  const names = blocksOf(values, list).map((block) => String(block[BLOCKS[list]]))
  const place = names.indexOf(name)
  if (place >= 0) return place
  const kind = list === 'models' ? 'Model' : 'Provider'
  throw notFound(`${kind} "${name}" not found. ${kind}s of the catalogue: ${names.join(', ') || 'none'}.`)
}

const KINDS = { models: 'model', providers: 'provider' } as const

/** @throws GatewayError conflict if the block is the last of its list: the catalogue needs at least one */
export function requireOthers(values: TomlTable, list: Blocks, name: string): void {
  if (blocksOf(values, list).length > 1) return
  const kind = KINDS[list]
  throw conflict(
    `"${name}" is the only ${kind}, and the catalogue needs at least one. Add another ${kind} first.`,
  )
}

/** Returns the routes of a model. */
export const routesOf = ({ routes }: Block): readonly Block[] =>
  Array.isArray(routes) ? routes.filter((route) => isTable(route)) : []

interface Change {
  /** Returns edits for the values in force. */
  edits: (values: TomlTable) => readonly Edit[]
  /** Reviews the draft before it is saved. Throws if the operator does not agree. */
  review?: (draft: CheckedDraft) => Promise<void>
  /** Environment variables that the change names. */
  variables?: readonly string[]
}

/**
 * Changes the catalogue in force. Saves nothing if the result has a mistake.
 *
 * @returns the message after saving
 * @throws GatewayError unprocessable with the mistakes; conflict if the catalogue has changed since it was read
 */
export async function changeCatalogue(
  { folder, warn }: Context,
  deps: CliDeps,
  author: `command:${string}`,
  { edits: editsOf, review, variables = [] }: Change,
): Promise<string> {
  const { catalogue, warnings: before } = await requireCatalogue(folder)
  const configuration = configurationOf(folder, catalogue, deps, new Set(variables))
  const { values, hash } = await configuration.read()
  const edits = editsOf(values ?? {})
  const draft = await configuration.check({ edits })
  if (draft.mistakes.length > 0)
    throw unprocessable(
      `Nothing was written. The catalogue would have mistakes:\n${draft.mistakes.map(({ path, message }) => `${path}: ${message}`).join('\n')}`,
    )
  for (const { path, message } of draft.warnings)
    if (before.every((known) => known.message !== message)) warn(`${path}: ${message}`)
  await review?.(draft)
  return savedWords(folder, await configuration.save({ edits }, hash, author))
}

/** Returns variables in values of the form `env:NAME`. */
export const variablesIn = (...values: readonly (string | undefined)[]): string[] =>
  values.flatMap((value) => /^env:(\w+)$/.exec(value ?? '')?.[1] ?? [])

/** Parses amounts by name: `input=0.30,output=2.50`. @throws InvalidArgumentError */
export function readAmounts(text: string): Record<string, string> {
  const amounts: Record<string, string> = {}
  for (const part of text.split(',')) {
    const [, name, amount] = /^\s*(\w+)=(\d{1,9}(?:\.\d{1,12})?)\s*$/.exec(part) ?? []
    if (name === undefined || amount === undefined)
      throw new InvalidArgumentError('Write amounts in USD by their names, such as input=0.30,output=2.50.')
    amounts[name] = amount
  }
  return amounts
}

/** Adds one option's field to those of earlier options: `max_output_tokens=8192`. @throws InvalidArgumentError */
export function readField(text: string, others: Record<string, TomlValue> = {}): Record<string, TomlValue> {
  const [, name, value] = /^(\w+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a field and its value, such as max_output_tokens=8192.')
  return { ...others, [name]: parseValue(value) }
}

function parseValue(text: string): TomlValue {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text
}
