"""Many runs: what varies in, outcomes out, on CPU threads, a GPU or a cluster. See
docs/campaigns.md.

from softdock.campaign.plan import load_plan           # a campaign file or preset, every draw checked
from softdock.archive.campaign_folder import run_campaign       # run it, shard by shard, with its page
"""
