// The code of the link by which a visitor was referred, remembered until they have signed up in this tab.
const KEY = 'tollgate-ref'
const CODE = /^[0-9a-z]{1,40}$/

/** Takes it from the address of the page. A later link does not take the place of the first. */
export function rememberReferral(): void {
  const code = new URLSearchParams(location.search).get('ref')
  if (code === null || !CODE.test(code)) return
  try {
    if (sessionStorage.getItem(KEY) === null) sessionStorage.setItem(KEY, code)
  } catch {
    // Dropped: a browser that keeps nothing for pages. The mail has it.
  }
}

export function rememberedReferral(): { ref?: string } {
  try {
    const ref = sessionStorage.getItem(KEY) ?? new URLSearchParams(location.search).get('ref')
    return ref !== null && CODE.test(ref) ? { ref } : {}
  } catch {
    // Dropped: as above.
    return {}
  }
}
