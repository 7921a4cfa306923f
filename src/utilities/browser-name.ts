// The name of a browser and its system, from the User-Agent header.

/** In this order, since most browsers also name others in their User-Agent. */
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

/** Returns "Firefox on Linux", or for other programs, such as scripts, the first word of their User-Agent. */
export function browserName(user_agent: string): string {
  const browser = BROWSERS.find(([mark]) => user_agent.includes(`${mark}/`))?.[1]
  const system = SYSTEMS.find(([mark]) => user_agent.includes(mark))?.[1]
  if (browser) return system ? `${browser} on ${system}` : browser
  return user_agent.split(/[ /]/)[0] || 'Unknown'
}
