// Schema of a decimal in payment settings: in quotes, so that no digit is lost.
import { Type } from '@sinclair/typebox'

export const Decimal = (description: string) =>
  Type.String({
    pattern: '^\\d{1,9}(\\.\\d{1,9})?$',
    must: 'a decimal in quotes, such as "25" or "1.08"',
    description,
  })
