// What the schemas of the catalogue file share: closed tables, counts.
import { Type } from '@sinclair/typebox'

export const closed = { additionalProperties: false }

/** Far more than any model's context; the product of two such counts is still exact. */
export const MAX_COUNT = 67_108_864

export const Count = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_COUNT, description })
