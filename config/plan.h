// What the supervisor acts on; filled in by the check child.
#pragma once
