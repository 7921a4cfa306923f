// The refusal of a save over values that were changed after the form read them: it shows both values, so that no change is lost.
import { GatewayError } from '../../../domain/errors.ts'
import type { RenderError } from '../../../http/answers.ts'
import { plainError } from '../../../http/plain-error.ts'

interface ChangedField {
  field: string
  /** The value that the caller read. */
  was: unknown
  is: unknown
}

class ChangedMeanwhile extends GatewayError {
  /** The message is logged, so it contains no values. */
  constructor(readonly changed: readonly ChangedField[]) {
    const fields = changed.map(({ field }) => field)
    super(
      'conflict',
      `${fields.join(', ')}: changed since you read it. Compare both values in "changed", then save again with the new ones in "was".`,
      { code: 'changed_meanwhile', param: fields[0] },
    )
  }
}

/**
 * Compares the values that a caller read with the current ones, in the transaction that changes them.
 * @param was the values read, in the form of `is`; undefined if the caller sends none
 * @param wanted the new values: a field that already has its new value is no conflict
 * @throws GatewayError conflict, changed_meanwhile, with both values of each field
 */
export function requireUnchanged<T extends object>(
  was: Partial<T> | undefined,
  is: T,
  wanted: Partial<T>,
): void {
  const changed = Object.entries(was ?? {}).flatMap(([field, read]): ChangedField[] => {
    const now: unknown = Reflect.get(is, field)
    const isNow = (value: unknown) => Bun.deepEquals(value, now)
    return isNow(read) || isNow(Reflect.get(wanted, field)) ? [] : [{ field, was: read, is: now }]
  })
  if (changed.length > 0) throw new ChangedMeanwhile(changed)
}

/** Renders the console's errors: plain ones, with `changed` if a save was refused for that reason. */
export const consoleError: RenderError = (failure, request_id) => {
  const { status, body } = plainError(failure, request_id)
  if (!(failure instanceof ChangedMeanwhile)) return { status, body }
  const error: unknown = Reflect.get(Object(body), 'error')
  return { status, body: { error: { ...Object(error), changed: failure.changed } } }
}
