// The unit of the Debian package, from data/tollgate.service: with the package's program, and its user instead of a dynamic one.

/** The replaced text of data/tollgate.service, and its replacement. */
const REPLACED: readonly (readonly [from: string | RegExp, to: string])[] = [
  [
    /^# Tollgate as a systemd service with few rights\..*\n.*\n/,
    '# Tollgate as a systemd service with few rights.\n',
  ],
  [/\/usr\/local\/bin\//g, '/usr/bin/'],
  [
    /^# A user that systemd creates,(.*)\n# For your own user and folder: DynamicUser=no, User=NAME,/m,
    "# The package's user,$1\n# For your own user and folder: User=NAME, Group=NAME,",
  ],
  ['DynamicUser=yes', 'User=tollgate\nGroup=tollgate'],
]

/**
 * @param unit the text of data/tollgate.service
 * @throws Error if the unit has changed, and does not contain a text to replace
 */
export function debianUnit(unit: string): string {
  return REPLACED.reduce((text, [from, to]) => {
    const replaced = text.replace(from, to)
    if (replaced === text)
      throw new Error(
        `data/tollgate.service: ${from} not found; change src/build/release/debian/unit.ts, too`,
      )
    return replaced
  }, unit)
}
