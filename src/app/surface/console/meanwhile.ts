// A save over values that somebody else changed since the form read them: refused with both values, so that none is lost unseen.
import { GatewayError } from '../../../domain/errors.ts'
import type { RenderError } from '../../../http/answers.ts'
import { plainError } from '../../../http/plain-error.ts'

interface ChangedField {
  field: string
  /** As the caller read it. */
  was: unknown
  is: unknown
}

class ChangedMeanwhile extends GatewayError {
  /** The message is logged, and so names no values. */
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
 * Compares the values that a caller read with those in force, in the transaction that changes them.
 * @param was the values read, in the form of `is`; undefined for callers that do not send any
 * @param wanted the new values: a field that has its new value already is no conflict
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

/** The errors of the console: plain ones, with `changed` where a save is refused for it. */
export const consoleError: RenderError = (failure, request_id) => {
  const { status, body } = plainError(failure, request_id)
  if (!(failure instanceof ChangedMeanwhile)) return { status, body }
  const error: unknown = Reflect.get(Object(body), 'error')
  return { status, body: { error: { ...Object(error), changed: failure.changed } } }
}
