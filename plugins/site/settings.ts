// The settings of the public pages, [site]: whether they are enabled, their description, and hidden models.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { compileGlobs, type TextMatcher } from '../../src/utilities/glob.ts'
import { unseenIn } from '../../src/utilities/visible-text.ts'

const MAX_DESCRIPTION_CHARS = 300

const SiteSchema = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description: 'serve the public pages: /, /pricing and /status, for anybody',
    }),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_DESCRIPTION_CHARS,
        must: `a text of at most ${MAX_DESCRIPTION_CHARS} characters`,
        description: 'what you offer, in a sentence or two, at the top of the first page',
      }),
    ),
    hidden_models: Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 200,
        must: 'the id of a model, in which "*" stands for any characters',
      }),
      { default: [], description: 'models that the public pages leave out, such as "internal-*"' },
    ),
  },
  closed,
)

type SiteText = Static<typeof SiteSchema>

interface SiteSettings extends Pick<SiteText, 'enabled'> {
  description: string | undefined
  hidden_models: readonly string[]
}

function readSite(
  { enabled, description, hidden_models }: SiteText,
  { report }: SectionContext,
): SiteSettings {
  const unseen = description === undefined ? undefined : unseenIn(description)
  if (unseen !== undefined)
    report(['site', 'description'], `must be without the control character ${unseen}: remove it`)
  return { enabled, description, hidden_models }
}

export const siteSettings = defineSection({
  name: 'site',
  schema: SiteSchema,
  read: readSite,
  before: 'console',
})

/** Matches the models that the operator hides, by ID: also models that have left the catalogue. */
export const hiddenModels = (catalogue: Pick<Catalogue, 'sections'>): TextMatcher =>
  compileGlobs(siteSettings.of(catalogue).hidden_models)
