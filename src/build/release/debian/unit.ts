// The unit of the Debian package, made from data/tollgate.service: the package's program, and its user in place of one that systemd creates.

/** What stands in data/tollgate.service, and what the package has in its place. */
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
 * @throws Error where it has changed so that something to replace is missing
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
