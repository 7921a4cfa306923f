# A hook of schemathesis before each call: it leaves out headers that HTTP does not allow. The runtime's parser refuses them
# with an empty 400, before any route is found.
import schemathesis


@schemathesis.hook
def before_call(context, case, **kwargs):
    for name, value in list((case.headers or {}).items()):
        if not all(" " <= char <= "~" for char in str(value)):
            del case.headers[name]
