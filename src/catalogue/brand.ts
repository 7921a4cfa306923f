// The section [brand]: its schema and further checks.
import { Type } from '@sinclair/typebox'
import type { BrandSettings } from '../domain/brand.ts'
import { brandColors } from '../domain/brand-colors.ts'
import { unseenIn } from '../utilities/visible-text.ts'
import { closed } from './schema-parts.ts'
import type { TomlPath } from './toml.ts'

type Report = (path: TomlPath, message: string) => void

const MAX_NAME_CHARS = 60
const MAX_URL_CHARS = 2_048

/** A file name without folders: public pages may show only images of the data folder. */
const ImageFile = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\\.(png|webp|svg)$',
      must: 'the name of a .png, .webp or .svg file in the data folder, such as "logo.svg"',
      description,
    }),
  )

const Address = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s"<>]+$',
      maxLength: MAX_URL_CHARS,
      must: 'a URL, such as "https://example.com/terms"',
      description,
    }),
  )

export const BrandSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME_CHARS,
        pattern: '\\S',
        must: `a name of at most ${MAX_NAME_CHARS} characters, such as "Acme AI"`,
        description: 'the name that account holders see in place of Tollgate',
      }),
    ),
    logo: ImageFile('a wordmark that stands in place of the name: a file in the data folder'),
    icon: ImageFile("a square mark for the browser's tab and beside the name: a file in the data folder"),
    color: Type.Optional(
      Type.String({
        pattern: '^#[0-9A-Fa-f]{6}$',
        must: 'a colour as "#rrggbb", such as "#1f56c4"',
        description: 'the colour of buttons and links; shades that are hard to read are adjusted',
      }),
    ),
    support_url: Type.Optional(
      Type.String({
        pattern: '^(https?://|mailto:)[^\\s"<>]+$',
        maxLength: MAX_URL_CHARS,
        must: 'a URL or a mail address, such as "https://example.com/help" or "mailto:help@example.com"',
        description: 'where account holders get help',
      }),
    ),
    terms_url: Address('your terms of service'),
    privacy_url: Address('your privacy policy'),
    imprint_url: Address('your imprint, which says who runs the service, if a law requires one'),
  },
  closed,
)

/** @param warn reports remarks on a valid brand */
export function checkBrand(brand: BrandSettings, { report, warn }: { report: Report; warn: Report }): void {
  for (const [field, value] of Object.entries(brand)) {
    const unseen = unseenIn(value)
    if (unseen !== undefined)
      report(['brand', field], `must be without the control character ${unseen}: remove it`)
    else if (field.endsWith('_url') && !URL.canParse(value))
      report(['brand', field], 'must be a complete URL, such as "https://example.com"')
  }
  const { color } = brand
  if (color === undefined || !/^#[0-9A-F]{6}$/i.test(color)) return
  const { is_darkened, accent } = brandColors(color)
  if (is_darkened)
    warn(
      ['brand', 'color'],
      `is hard to read on white: links on light pages are ${accent.light} instead. Choose a darker colour to have it everywhere`,
    )
}
