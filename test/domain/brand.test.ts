// Names and colours derived from a brand: parts of file names, variables, and shades that are readable in both themes.
import { describe, expect, test } from 'bun:test'
import { brandName, brandSlug, keyVariable } from '../../src/domain/brand.ts'
import { brandColors, contrastOf, MIN_CONTRAST } from '../../src/domain/brand-colors.ts'

describe('names', () => {
  test.each([
    [undefined, 'Tollgate', 'tollgate', 'TOLLGATE_KEY'],
    ['Acme AI', 'Acme AI', 'acme-ai', 'ACME_AI_KEY'],
    ['  Café & Söhne ', '  Café & Söhne ', 'cafe-sohne', 'CAFE_SOHNE_KEY'],
    ['<b>"x"\\$(id)</b>', '<b>"x"\\$(id)</b>', 'b-x-id-b', 'B_X_ID_B_KEY'],
    ['../../etc', '../../etc', 'etc', 'ETC_KEY'],
    ['1st Models', '1st Models', '1st-models', '_1ST_MODELS_KEY'],
    ['模型网关', '模型网关', 'gateway', 'GATEWAY_KEY'],
  ])('%p', (name, display_name, slug, variable) => {
    const brand = name === undefined ? {} : { name }
    expect([brandName(brand), brandSlug(brand), keyVariable(brand)]).toEqual([display_name, slug, variable])
  })
})

/** The corners and middles of the RGB cube, its greys, and some common colours between. */
const COLORS = [
  ...['00', '80', 'ff'].flatMap((red) =>
    ['00', '80', 'ff'].flatMap((green) => ['00', '80', 'ff'].map((blue) => `#${red}${green}${blue}`)),
  ),
  '#1f56c4',
  '#ffd600',
  '#3b82f6',
  '#f97316',
  '#111111',
  '#767676',
  '#E6E9ED',
]

describe('every shade of a colour is readable', () => {
  test.each(COLORS)('%s', (color) => {
    const { accent, soft, fill, fill_hover, on_fill } = brandColors(color)
    for (const [one, other] of [
      ...['#ffffff', '#f7f8f9', '#f1f3f5', '#e6e9ed', soft.light].map((ground) => [accent.light, ground]),
      ...['#111315', '#16191c', '#1b1f23', '#272c31', soft.dark].map((ground) => [accent.dark, ground]),
      ['#16191d', soft.light],
      ['#e9ebee', soft.dark],
      ['#565d66', soft.light],
      ['#a3abb4', soft.dark],
      [on_fill.light, fill.light],
      [on_fill.light, fill_hover.light],
      [on_fill.dark, fill.dark],
      [on_fill.dark, fill_hover.dark],
    ] as const)
      expect({ one, other, contrast: contrastOf(one ?? '', other ?? '') >= MIN_CONTRAST }).toEqual({
        one,
        other,
        contrast: true,
      })
  })

  test('a fill keeps its colour; a colour that is unreadable on white is reported as darkened', () => {
    expect(brandColors('#1f56c4')).toMatchObject({ fill: { light: '#1f56c4' }, is_darkened: false })
    expect(brandColors('#ffd600')).toMatchObject({ fill: { light: '#ffd600' }, is_darkened: true })
    expect(brandColors('#ffd600').on_fill.light).toBe('#16191d')
  })

  test('contrast is that of WCAG', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21)
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })
})
