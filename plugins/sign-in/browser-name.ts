// The name of a browser and its system, from what it says of itself.

/** In this order: most say that they are like others, too. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** "Firefox on Linux"; what is no browser, such as a script, by the first word of its own. */
export function browserName(user_agent: string): string {
  const browser = BROWSERS.find(([mark]) => user_agent.includes(`${mark}/`))?.[1]
  const system = SYSTEMS.find(([mark]) => user_agent.includes(mark))?.[1]
  if (browser) return system ? `${browser} on ${system}` : browser
  return user_agent.split(/[ /]/)[0] || 'Unknown'
}
