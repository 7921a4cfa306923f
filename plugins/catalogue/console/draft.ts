// Drafts of the catalogue file in request bodies: a text, edits, or both.

import { Type } from '@sinclair/typebox'
import type { Configuration } from '../../../src/catalogue/configuration.ts'
import type { CheckedDraft, Draft } from '../../../src/catalogue/drafts.ts'
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import { invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { Closed } from '../../../src/http/schema.ts'

/** Enough for some four thousand models. A text of only lists and keys blocks the event loop for a second or two. */
const MAX_TEXT_CHARS = 500_000
const MAX_EDITS = 200
const MAX_DEPTH = 12

export const Path = Type.Array(
  Type.Union([Type.String({ maxLength: 256 }), Type.Integer({ minimum: 0, maximum: 100_000 })]),
  {
    minItems: 1,
    maxItems: MAX_DEPTH,
    description: 'names of tables and keys, and list indices: ["models", 2, "price", "input"]',
  },
)

export const Value = Type.Unsafe<TomlValue>(
  Type.Unknown({ description: 'text, a number, true or false, a list, or an object of these' }),
)

const EditBody = Type.Union([
  Closed({
    op: Type.Union([Type.Literal('set'), Type.Literal('add')]),
    path: Path,
    value: Value,
  }),
  Closed({ op: Type.Literal('remove'), path: Path }),
])

const EditsBody = Type.Array(EditBody, { maxItems: MAX_EDITS })

/** The fields of a draft; without them, the draft is the current file. */
export const DRAFT_FIELDS = {
  text: Type.Optional(
    Type.String({ maxLength: MAX_TEXT_CHARS, description: 'the changed text of the file' }),
  ),
  edits: Type.Optional(EditsBody),
}

export const DraftBody = Closed(DRAFT_FIELDS)

export const MistakeView = Type.Object({
  path: Type.String({ description: '`models[2].price.input`; empty for the file as a whole' }),
  line: Type.Integer({ minimum: 1 }),
  message: Type.String(),
})

/** Takes the draft from a body with further fields. @throws GatewayError invalid_request for a value that TOML cannot represent */
export function draftOf({ text, edits }: Draft): Draft {
  edits?.forEach((edit, index) => {
    if ('value' in edit && !isWritable(edit.value, MAX_DEPTH))
      throw invalidRequest(
        `edits[${index}].value: must be text, a finite number, true or false, or a list or object of these.`,
        { param: `edits[${index}].value` },
      )
  })
  return { text, edits }
}

function isWritable(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value !== 'object' || value === null || depth === 0) return false
  return Object.values(value).every((each) => isWritable(each, depth - 1))
}

/** Checks that a draft has no mistakes. @throws GatewayError unprocessable with the first mistake, and as `Configuration.check` */
export async function requireValidDraft(
  configuration: Configuration,
  draft: Draft,
): Promise<CheckedDraft & { catalogue: NonNullable<CheckedDraft['catalogue']> }> {
  const checked = await configuration.check(draft)
  const { catalogue, mistakes } = checked
  if (catalogue) return { ...checked, catalogue }
  const [{ path, line, message } = { path: '', line: 1, message: 'has a mistake' }] = mistakes
  throw unprocessable(`Line ${line}: ${path === '' ? 'the file' : path} ${message}.`, {
    code: 'configuration_mistakes',
    param: path === '' ? 'text' : path,
  })
}
