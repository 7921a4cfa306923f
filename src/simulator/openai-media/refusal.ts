// A refusal that names the field at fault.
import type { Refusal } from '../dialect.ts'

export const refusal = (field: string, message: string): Refusal => ({ status: 400, field, message })
