// The save of single values from forms: compares them with the values that the form read, then edits the newest text.

import { Type } from '@sinclair/typebox'
import { requireUnchanged } from '../../../src/app/surface/console/meanwhile.ts'
import type { Configuration, SavedConfiguration } from '../../../src/catalogue/configuration.ts'
import type { Edit } from '../../../src/catalogue/edit.ts'
import { type Mistake, writePath } from '../../../src/catalogue/mistakes.ts'
import type { Author } from '../../../src/catalogue/past.ts'
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import { GatewayError, unprocessable } from '../../../src/domain/errors.ts'
import { Closed } from '../../../src/http/schema.ts'
import { capital } from '../../../src/utilities/capital.ts'
import { fieldsOfNamed, settingSections } from '../setting-fields.ts'
import { draftOf, Path, Value } from './draft.ts'

const MAX_VALUES = 60

export const ValuesBody = Closed({
  values: Type.Array(
    Closed({
      path: Path,
      value: Type.Optional({
        ...Value,
        description: 'absent: removes the value, so that its default applies',
      }),
      was: Type.Optional(
        Type.Unknown({
          description:
            'the value that was read; absent: not set. 409 `changed_meanwhile` after another change',
        }),
      ),
    }),
    { minItems: 1, maxItems: MAX_VALUES },
  ),
})

interface ChangedValue {
  path: Edit['path']
  /** Undefined removes the value. */
  value?: TomlValue | undefined
  /** The value that the form read; undefined: not set. */
  was?: unknown
}

type Values = readonly ChangedValue[]

/** Maximum number of attempts if others save at the same time. */
const MAX_TRIES = 5

/**
 * Saves values over the newest text, whatever other values have changed since the form was opened.
 *
 * @throws GatewayError conflict, changed_meanwhile, with both values; unprocessable, with the path of a value with a mistake
 */
export async function saveValues(
  configuration: Configuration,
  { values }: { values: Values },
  made_by: Author,
  request_id?: string,
): Promise<SavedConfiguration> {
  for (let tries = 1; ; tries += 1) {
    const { values: file, hash } = await configuration.read()
    const is = byPath(values, ({ path }) => valueAt(file, path))
    requireUnchanged(
      byPath(values, ({ was }) => was),
      is,
      byPath(values, ({ value }) => value),
    )
    const edits = values.flatMap(({ path, value }): Edit[] => {
      if (value !== undefined) return [{ op: 'set', path, value }]
      return is[writePath(path)] === undefined ? [] : [{ op: 'remove', path }]
    })
    const draft = draftOf({ edits })
    const [mistake] = (await configuration.check(draft)).mistakes
    if (mistake) throw refusal(mistake, values)
    try {
      return await configuration.save(draft, hash, made_by, request_id)
    } catch (thrown) {
      const is_overtaken = thrown instanceof GatewayError && thrown.code === 'configuration_changed'
      if (!is_overtaken || tries === MAX_TRIES) throw thrown
    }
  }
}

const byPath = (values: Values, of: (value: Values[number]) => unknown): Record<string, unknown> =>
  Object.fromEntries(values.map((value) => [writePath(value.path), of(value)]))

/** Returns any value of a file; undefined if it is not set. */
export function valueAt(file: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? Reflect.get(value, part)
        : undefined,
    file,
  )
}

/** A mistake in a value of the form, or an element of it, names its field; one elsewhere in the file names its line. */
function refusal({ path, line, message }: Mistake, values: Values) {
  const at = values[0]?.path ?? []
  const { name: section = '', fields = [] } = settingSections().find(({ name }) => name === at[0]) ?? {}
  const of_block = typeof at[2] === 'number' ? (fieldsOfNamed(at.map(String)) ?? []) : []
  const own = [
    ...values,
    ...fields.map((field) => ({ path: [section, ...field.path] })),
    ...of_block.map((field) => ({ path: [...at.slice(0, 3), ...field.path] })),
  ]
    .map((value) => writePath(value.path))
    .find((written) => path === written || path.startsWith(`${written}[`))
  const place = path.startsWith(`${section}.`) ? path : `Line ${line}: ${path === '' ? 'the file' : path}`
  // A form sends texts, so what must be one is missing.
  const words =
    own === undefined
      ? path === writePath(at.slice(0, 3))
        ? capital(message)
        : `${place} ${message}`
      : capital(message.replace(/^(?:is missing: |must be text in quotes).*/s, 'enter a value'))
  return unprocessable(`${words}.`, { code: 'configuration_mistakes', param: own ?? 'values' })
}
