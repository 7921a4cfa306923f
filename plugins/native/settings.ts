// The settings of the native surface, [native].
import { Type } from '@sinclair/typebox'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection } from '../../src/catalogue/sections.ts'

export const nativeSettings = defineSection({
  name: 'native',
  schema: Type.Object(
    {
      extra_methods: Type.Boolean({
        default: false,
        description: 'models.list and models.get, countTokens, embedContent and batchEmbedContents',
      }),
    },
    closed,
  ),
})
